// The frameworks beside which Duplex is measured, as far as they are installed (`node bench/peers/install.mjs`).

const files = {
  "LangGraph.js": "langgraph",
  "AI SDK": "ai-sdk",
  "OpenAI Agents": "openai-agents",
  Mastra: "mastra",
  VoltAgent: "voltagent",
};

export const names = Object.keys(files);

/** Opens a peer with the texts its model says. Rejects where it is not installed. */
export async function open(name, words) {
  // They warn at every call: of system messages, and that a list of models could not be fetched.
  console.warn = () => {};
  const peer = await import(`./${files[name]}.mjs`);
  return peer.open(words);
}
