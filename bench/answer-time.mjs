// Time to the answer with interruption against without: reports over HTTP, from a server that says and reads at API-like speeds.
// Its listener is made up (it knows once it has heard the fact); what is measured is the runtime, the network and the policies' own calls.
import { fork } from "node:child_process";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { duplex } from "./duplex.mjs";
import { median } from "./report.mjs";

const self = fileURLToPath(import.meta.url);
const task = "report:facts=15";
const speeds = { ttft: 200, prefill: 5000, cacheRead: 50_000, decode: 100 };
const least = 100;

const drawn = async (size) => {
  const { loadTask } = await duplex("eval/index.js");
  const loaded = await loadTask(task);
  return { task: loaded, samples: loaded.samples({ split: "test", size, seed: 1 }) };
};

/** Every role of every sample as a model of its own, behind an OpenAI-compatible API. */
async function serve(size) {
  const { recited, simulatedListener } = await duplex("eval/index.js");
  const { readRequest } = await duplex("server/simulate-request.js");
  const { stream } = await duplex("server/simulate-answer.js");
  const { systemClock } = await duplex("base/clock.js");
  const { samples } = await drawn(size);
  const models = new Map();
  for (const sample of samples)
    for (const role of sample.roles) {
      const seat = { sample, role, clock: systemClock, seed: 1 };
      const words = recited([role.says ?? ""], { tokensPerSecond: speeds.decode });
      const speaker = {
        ...words,
        async *stream(request) {
          await sleep(speeds.ttft, undefined, { signal: request.signal }).catch(() => {});
          yield* words.stream(request);
        },
      };
      models.set(nameOf(sample, role), role.listens ? simulatedListener(seat, speeds) : speaker);
    }
  const answer = async (incoming, response) => {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    let text = "";
    for await (const piece of incoming) text += piece;
    const asked = readRequest(text, gone.signal);
    const model = models.get(asked.model);
    if (asked.likeliest === undefined) {
      await stream(model, asked, { response, head: { id: "chatcmpl-1", created: 0, model: asked.model } });
      return;
    }
    const { probabilities, usage } = await model.choose(asked.request, ["unknown"]);
    const [unknown] = probabilities;
    const likely = [
      { token: "unknown", logprob: Math.log(unknown) },
      { token: "answer", logprob: Math.log(1 - unknown) },
    ].toSorted((a, b) => b.logprob - a.logprob);
    const logprobs = { content: [{ ...likely[0], top_logprobs: likely }] };
    const message = { role: "assistant", content: likely[0].token };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(
      JSON.stringify({
        choices: [{ index: 0, message, logprobs, finish_reason: "length" }],
        usage: { prompt_tokens: usage.inputTokens, completion_tokens: usage.outputTokens },
      }),
    );
  };
  // A client that has left needs no answer.
  const server = createServer((incoming, response) => void answer(incoming, response).catch(() => response.destroy()));
  process.on("disconnect", () => process.exit(0));
  server.listen(0, "127.0.0.1", () => process.send({ url: `http://127.0.0.1:${server.address().port}/v1` }));
}

const nameOf = (sample, role) => `${role.id}/${sample.id}`;

async function compared(url, size) {
  const { armsNamed, evaluate } = await duplex("eval/index.js");
  const { openai } = await duplex("models/index.js");
  const { task: loaded, samples } = await drawn(size);
  const seated = ({ sample, role }) => openai({ baseURL: url, model: nameOf(sample, role), continues: true });
  const results = [];
  const arms = armsNamed(["never", "own:0.8", "after:3", "oracle"], { lead: samples[0].answer.marker });
  const sides = { speaker: seated, listener: seated, pace: "live", concurrency: 8 };
  for await (const result of evaluate({ task: loaded, samples, arms, ...sides })) results.push(result);
  return results;
}

/** Seconds of a policy and of never on the same samples, where both gave an answer. */
function pairsOf(results, policy) {
  const never = new Map(results.flatMap((one) => (one.policy === "never" ? [[one.sample, one.answerMs]] : [])));
  return results.flatMap(({ sample, policy: name, answerMs }) =>
    name === policy && answerMs !== undefined && never.get(sample) !== undefined
      ? [[{ own: answerMs / 1000, never: never.get(sample) / 1000 }]]
      : [],
  );
}

const sum = (values) => values.reduce((total, value) => total + value, 0);
const ratio = (pairs) => sum(pairs.map(({ own }) => own)) / sum(pairs.map(({ never }) => never));

export async function bench(report, { rounds = least }) {
  const size = Math.max(rounds, least);
  const child = fork(self, ["serve", String(size)]);
  const results = await new Promise((resolve, reject) => {
    child.once("exit", () => reject(new Error("the server has ended")));
    child.once("message", ({ url }) => void compared(url, size).then(resolve, reject));
  }).finally(() => child.connected && child.disconnect());
  const { bootstrap } = await duplex("base/stats.js");
  for (const policy of ["never", "own:0.8", "after:3", "oracle"]) {
    const of = results.filter((one) => one.policy === policy);
    const failed = of.filter(({ failure }) => failure !== undefined).length;
    const right = sum(of.map(({ success }) => success ?? 0)) / of.length;
    const tokens = sum(of.map(({ cost }) => cost.total)) / of.length;
    const about = `success ${right.toFixed(2)}, ${tokens.toFixed(0)} tokens generated${failed > 0 ? `, ${failed} failed` : ""}`;
    const pairs = pairsOf(results, policy);
    const times = pairs.map(([{ own }]) => own);
    report.measure(`${policy}: time to the answer`, times, { unit: "s", note: about });
    if (policy === "never") continue;
    const [low, high] = bootstrap(pairs, ratio, { seed: 1 });
    const note = `95 % interval ${low.toFixed(3)} to ${high.toFixed(3)}, ${pairs.length} pairs; median saved ${median(pairs.map(([{ own, never }]) => never - own)).toFixed(2)} s`;
    report.measure(`${policy}: time to the answer / never's`, ratio(pairs.flat()), { unit: "times", note });
  }
}

if (process.argv[2] === "serve" && process.argv[1] === self) await serve(Number(process.argv[3]));
