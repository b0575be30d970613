// A process that samples into a file and says each point it has kept; made to be killed.

import { openPoints } from "./points-file.ts";
import { sample } from "./sample.ts";
import { world } from "./world.fixture.ts";

const provenance = { seed: 1 };
const file = await openPoints(process.argv[2] ?? "", provenance);
for await (const { point } of sample(world({ done: file.keys, provenance }))) {
  await file.add(point);
  process.stdout.write(`${point.sample} ${point.chunk}\n`);
}
await file.close();
