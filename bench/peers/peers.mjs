// The frameworks beside which Duplex is measured, as far as they are installed (`node bench/peers/install.mjs`).

const files = {
  "LangGraph.js": "langgraph",
  "AI SDK": "ai-sdk",
  "OpenAI Agents": "openai-agents",
  Mastra: "mastra",
  VoltAgent: "voltagent",
};

/** Opens each peer with the texts its model says; those that are not installed are named with the reason. */
export async function peers(words) {
  // They warn at every call: of system messages, and that a list of models could not be fetched.
  console.warn = () => {};
  const found = [];
  const missing = [];
  for (const [name, file] of Object.entries(files)) {
    try {
      const { open } = await import(`./${file}.mjs`);
      found.push({ name, ...(await open(words)) });
    } catch (error) {
      const absent = error.code === "ERR_MODULE_NOT_FOUND" || error.code === "MODULE_NOT_FOUND";
      const why = absent ? "not installed; run `node bench/peers/install.mjs`" : `does not open: ${error.message}`;
      missing.push({ name, why });
    }
  }
  return { found, missing };
}
