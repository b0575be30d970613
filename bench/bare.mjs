// What a client does that has no runtime: a chain of agents by hand, with `fetch` and a parser of server-sent events.
import { createParser } from "eventsource-parser";

const delimiter = "\nEND_STEP\n";

/** Steps put by one, taken one by one by another; `end` closes. */
function queue() {
  const items = [];
  let ended = false;
  let wake = () => {};
  return {
    put(item) {
      items.push(item);
      wake();
    },
    end() {
      ended = true;
      wake();
    },
    async take() {
      while (items.length === 0 && !ended) await new Promise((resolve) => (wake = resolve));
      return items.shift();
    },
  };
}

/** One call; gives each step to `onStep` as soon as its delimiter has come, and answers with the whole text. */
async function call(url, messages, onStep) {
  const response = await fetch(`${url}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify({ model: "simulated", messages, stream: true, stream_options: { include_usage: true } }),
  });
  if (!response.ok) throw new Error(await response.text());
  const decoder = new TextDecoder();
  let text = "";
  let from = 0;
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data === "[DONE]") return;
      text += JSON.parse(data).choices[0]?.delta.content ?? "";
      for (let at = text.indexOf(delimiter, from); at >= 0; at = text.indexOf(delimiter, from)) {
        onStep(text.slice(from, at));
        from = at + delimiter.length;
      }
    },
  });
  for await (const bytes of response.body) parser.feed(decoder.decode(bytes, { stream: true }));
  return text;
}

/** Plays the chain; every listener answers each step in a call of its own. The prompts are those that Duplex writes. */
export async function bareChain({ url, agents, task }) {
  const queues = agents.map(queue);
  const speak = async ({ id, instructions }, position) => {
    const messages = [{ role: "system", content: instructions }];
    let steps = 0;
    const say = async (content) => {
      messages.push({ role: "user", content });
      const text = await call(url, messages, (step) =>
        queues[position + 1]?.put(`Step ${++steps} by ${id}:\n${step.trim()}`),
      );
      messages.push({ role: "assistant", content: text });
    };
    if (position === 0) await say(task);
    else {
      let first = true;
      for (let heard = await queues[position].take(); heard !== undefined; heard = await queues[position].take()) {
        await say(first ? `Task:\n${task}\n\n${heard}` : heard);
        first = false;
      }
    }
    queues[position + 1]?.end();
  };
  await Promise.all(agents.map(speak));
}
