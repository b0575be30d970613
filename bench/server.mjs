// A process of its own that serves a simulated model, as `duplex simulate` does, and counts what it is asked for.
import { duplex } from "./duplex.mjs";

const { simulateServer } = await duplex("server/index.js");
const options = JSON.parse(process.argv[2], (_, value) => (value === "Infinity" ? Infinity : value));
const none = () => ({ calls: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0 });
let totals = none();
const server = await simulateServer({
  ...options,
  onCall: ({ usage }) => {
    for (const name of Object.keys(totals)) totals[name] += usage[name];
  },
});
process.on("message", () => {
  process.send({ totals });
  totals = none();
});
process.on("disconnect", () => process.exit(0));
process.send({ url: server.url });
