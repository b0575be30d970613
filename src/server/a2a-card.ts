// What an agent card says of the teams that are served.

import type { AgentCard, AgentSkill } from "@a2a-js/sdk";
import type { Team } from "./team.ts";

/** What a card is made of. */
export type CardOf = {
  /** By name; one team makes a card of its own, several are the skills of one agent. */
  readonly teams: ReadonlyMap<string, Team>;
  /** Where JSON-RPC is taken. */
  readonly url: string;
  /** Whether callers need a bearer token. */
  readonly secured: boolean;
};

const modes = ["text/plain"];

function skill([name, team]: readonly [string, Team]): AgentSkill {
  const ids = team.topology.agents.map(({ id }) => id);
  return {
    id: name,
    name,
    description: team.description ?? (ids.length === 1 ? `${ids[0]} alone` : `a team of ${ids.join(", ")}`),
    tags: ids,
    examples: [],
    inputModes: modes,
    outputModes: modes,
    securityRequirements: [],
  };
}

/** The card in version 1.0 of the protocol; the endpoint speaks 0.3 too. */
export function cardOf({ teams, url, secured }: CardOf): AgentCard {
  const skills = [...teams].map(skill);
  const only = skills.length === 1 ? skills[0] : undefined;
  const at = { url, protocolBinding: "JSONRPC", tenant: "" };
  const scheme = { $case: "httpAuthSecurityScheme", value: { description: "", scheme: "Bearer", bearerFormat: "" } };
  return {
    name: only?.name ?? "Duplex",
    description: only?.description ?? "Teams of agents; name one of the skills in the metadata, as in {skill: NAME}.",
    supportedInterfaces: [
      { ...at, protocolVersion: "1.0" },
      { ...at, protocolVersion: "0.3" },
    ],
    provider: undefined,
    version: "1.0.0",
    capabilities: { streaming: true, pushNotifications: false, extensions: [], extendedAgentCard: false },
    securitySchemes: secured ? { bearer: { scheme: scheme as never } } : {},
    securityRequirements: secured ? [{ schemes: { bearer: { list: [] } } }] : [],
    defaultInputModes: modes,
    defaultOutputModes: modes,
    skills,
    signatures: [],
  };
}

/** The same card for clients of version 0.3. */
export function legacyCardOf(card: AgentCard): Record<string, unknown> {
  const secured = card.securityRequirements.length > 0;
  const [at] = card.supportedInterfaces;
  return {
    protocolVersion: "0.3.0",
    name: card.name,
    description: card.description,
    version: card.version,
    url: at?.url,
    preferredTransport: at?.protocolBinding,
    capabilities: { streaming: true, pushNotifications: false },
    defaultInputModes: modes,
    defaultOutputModes: modes,
    skills: card.skills.map(({ id, name, description, tags }) => ({ id, name, description, tags })),
    ...(secured ? { securitySchemes: { bearer: { type: "http", scheme: "bearer" } }, security: [{ bearer: [] }] } : {}),
  };
}
