// A process that evaluates into a file and says each result it has kept; made to be killed.

import { evaluate } from "./evaluate.ts";
import { openJournal } from "./journal.ts";
import { small } from "./play.fixture.ts";

const evaluation = small({ repeats: 2, concurrency: 3 });
const journal = await openJournal(process.argv[2] ?? "", { identity: { seed: 1 }, samples: evaluation.samples });
for await (const result of evaluate({ ...evaluation, done: journal.done })) {
  await journal.add(result);
  process.stdout.write(`${result.sample} ${result.policy}\n`);
}
await journal.close();
