import { Command } from "commander";
import { ConfigError } from "../../base/errors.ts";
import { fromText, numbers } from "../../models/simulated-settings.ts";
import { simulateServer } from "../../server/simulate.ts";
import { flagged, flagOf, portNumber } from "../flags.ts";
import type { Io } from "../io.ts";

type Options = Readonly<Record<string, string | boolean | number | undefined>>;

/** `duplex simulate`: a simulated model as an OpenAI-compatible server, until Ctrl-C. Throws ConfigError. */
export function simulateCommand(io: Io): Command {
  const command = new Command("simulate")
    .description("serve a simulated model as an OpenAI-compatible API")
    .option("--port <port>", "where to listen; 0: any free port", portNumber, 0)
    .option("--host <host>", "address to listen at", "127.0.0.1")
    .option("--id <name>", "the model's name", "simulated");
  for (const [name, { about, default: value }] of Object.entries(numbers)) {
    command.option(`${flagOf(name)} <number>`, `${about} (default: ${value})`);
  }
  return command
    .option("--accuracy <numbers>", "chance of each step to be right, as 0.9 or 0.9/0.8/0.7 (default: 1)")
    .option("--cache <kind>", "whose requests share a prompt cache: shared, session or off (default: shared)")
    .option("--precise", "wait out the last millisecond before each token busily; takes a processor")
    .option("--require-key", "refuse requests without the key in DUPLEX_API_KEY")
    .option("--json", "print the address as JSON")
    .addHelpText(
      "after",
      `
Examples:
  duplex simulate --port 8080                                  a server at API-like speeds
  duplex simulate --ttft 500 --decode 50 --step-tokens 25      half a second to the first token, 50 tokens a second
  duplex simulate --accuracy 0.9/0.6 --delta 0.05 --epsilon 0.2
  duplex simulate --fail 0.1 --stall 0.01 --truncate 0.01      one that goes wrong now and then`,
    )
    .action((options: Options) => serve(io, options));
}

async function serve(io: Io, options: Options): Promise<void> {
  const { port, host, requireKey, json, ...model } = options;
  const texts = Object.entries(model).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  );
  const apiKey = requireKey === true ? (io.env["DUPLEX_API_KEY"] ?? "") : undefined;
  if (apiKey === "") throw new ConfigError("--require-key", "set DUPLEX_API_KEY to the key to require");
  const total = { calls: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0 };
  const server = await simulateServer({
    ...fromText(texts, flagOf),
    port: Number(port),
    host: String(host),
    apiKey,
    onCall: ({ usage }) => {
      total.calls += usage.calls;
      total.inputTokens += usage.inputTokens;
      total.cachedTokens += usage.cachedTokens;
      total.outputTokens += usage.outputTokens;
    },
  }).catch((error: unknown) => {
    throw flagged("port", flagged("host", error));
  });
  io.stdout.write(json === true ? `${JSON.stringify({ url: server.url })}\n` : `${server.url}\n`);
  await until(io.signal);
  await server.close();
  const { calls, inputTokens, cachedTokens, outputTokens } = total;
  io.stderr.write(`${calls} calls: ${inputTokens} tokens read (${cachedTokens} cached), ${outputTokens} generated\n`);
}

const until = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
