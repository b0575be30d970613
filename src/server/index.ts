// Servers: a simulated model behind HTTP.

export { simulateServer } from "./simulate.ts";
export type { Charged, SimulateOptions, SimulateServer } from "./simulate.ts";
