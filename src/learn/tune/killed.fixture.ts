// A process that tunes and says each step; made to be killed.

import { labelsOf } from "./tune.fixture.ts";
import { tune } from "./tune.ts";
import type { TuneOptions } from "./tune.ts";

const options = JSON.parse(process.argv[2] ?? "{}") as TuneOptions;
await tune(labelsOf(10), {
  ...options,
  onEvent: (event) => {
    if (event.event === "step") process.stdout.write(`${event.step}\n`);
  },
});
