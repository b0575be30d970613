// The first source: the model's repository on the public hub, over HTTP, going on where an earlier try stopped.
import { rm } from "node:fs/promises";
import type { Clock } from "../../base/clock.ts";
import { explain } from "../../base/errors.ts";
import { scope } from "../../base/scope.ts";
import { partOf } from "./cache.ts";
import { DiskError, fill, finish, kept } from "./part.ts";
import type { Fetching } from "./part.ts";

export type Hub = {
  /** Without a slash at its end. */
  readonly url: string;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  /** How long it may take to answer. */
  readonly answerMs: number;
  /** How long it may be silent while the file comes. */
  readonly idleMs: number;
};

/** After this many broken connections that brought nothing new, another source is tried. */
const mostFruitless = 2;

class Silent extends Error {}

/** Runs `work` with a deadline that it can put off; what is late is aborted and rejects as `late`. */
async function timed<T>(
  { hub, parent, late }: { readonly hub: Hub; readonly parent: AbortSignal; readonly late: string },
  work: (signal: AbortSignal, alive: (ms: number) => void) => Promise<T>,
): Promise<T> {
  const own = scope(parent);
  const over = new AbortController();
  let until = hub.clock.now() + hub.answerMs;
  const watch = async () => {
    while (!over.signal.aborted) {
      const left = until - hub.clock.now();
      if (left <= 0) return own.abort(new Silent(late));
      await hub.clock.sleep(left, over.signal);
    }
  };
  const watching = watch();
  try {
    return await work(own.signal, (ms) => {
      until = hub.clock.now() + ms;
    });
  } catch (error) {
    throw own.signal.reason instanceof Silent ? own.signal.reason : error;
  } finally {
    over.abort();
    own.release();
    await watching;
  }
}

async function* watched(body: AsyncIterable<Uint8Array>, alive: () => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    alive();
    yield chunk;
  }
}

/** Where a partial answer says it begins. */
const beginsAt = (response: Response): number =>
  Number(/^bytes (\d+)-/u.exec(response.headers.get("content-range") ?? "")?.[1] ?? Number.NaN);

async function attempt(fetching: Fetching, hub: Hub): Promise<void> {
  const { entry, path, signal: parent } = fetching;
  const have = await kept(fetching);
  if (have === entry.bytes) return;
  const url = `${hub.url}/${entry.repository}/resolve/main/${entry.file}`;
  await timed({ hub, parent, late: "it does not answer" }, async (signal, alive) => {
    const headers: Record<string, string> = have > 0 ? { range: `bytes=${have}-` } : {};
    const response = await hub.fetch(url, { signal, headers });
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      if (response.status === 416) await rm(partOf(path), { force: true });
      throw new Error(`it answered ${response.status} ${response.statusText}`.trim());
    }
    const from = response.status === 206 ? beginsAt(response) : 0;
    if (Number.isNaN(from)) throw new Error("it answered with a part of the file and did not say which");
    alive(hub.idleMs);
    const body = watched(response.body, () => alive(hub.idleMs));
    await fill(fetching, body, { from, phase: "hub", detail: hub.url });
  });
}

/** Fetches a model from the hub. Rejects with why not; what has come stays for the next try. */
export async function fromHub(fetching: Fetching, hub: Hub): Promise<void> {
  let fruitless = 0;
  for (;;) {
    const before = await kept(fetching);
    try {
      await attempt(fetching, hub);
      return await finish(fetching);
    } catch (error) {
      fetching.signal.throwIfAborted();
      const after = await kept(fetching);
      fruitless = after > before ? 0 : fruitless + 1;
      if (error instanceof DiskError) throw error;
      // A hub that never answered, or answered in full with something else, will not do better at once.
      if (before === after || fruitless >= mostFruitless) throw new Error(explain(error), { cause: error });
    }
  }
}
