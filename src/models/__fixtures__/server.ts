import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One request and, by hand, its answer: byte by byte if need be. */
export class Exchange {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
  /** Resolves when the client has closed the connection or the answer has ended. */
  readonly closed: Promise<void>;
  /** The port of the client: one a connection. */
  readonly port: number | undefined;
  readonly #response: ServerResponse;

  constructor(request: { path: string; headers: IncomingHttpHeaders; body: string }, response: ServerResponse) {
    this.path = request.path;
    this.headers = request.headers;
    this.body = JSON.parse(request.body) as Record<string, unknown>;
    this.#response = response;
    this.port = response.socket?.remotePort;
    this.closed = new Promise((resolve) => response.once("close", resolve));
  }

  get open(): boolean {
    return !this.#response.destroyed && !this.#response.writableEnded;
  }

  head(status: number, headers: Readonly<Record<string, string>>): void {
    this.#response.writeHead(status, headers);
    this.#response.flushHeaders();
  }

  /** Resolves when the bytes are on their way. */
  write(bytes: string | Uint8Array): Promise<void> {
    if (!this.#response.headersSent) this.head(200, { "content-type": "text/event-stream; charset=utf-8" });
    return new Promise((resolve) => this.#response.write(bytes, () => resolve()));
  }

  /** One event whose data is `value` as JSON. */
  data(value: unknown): Promise<void> {
    return this.write(`data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`);
  }

  end(text = ""): void {
    this.#response.end(text);
  }

  /** A whole answer that is not a stream. */
  reply(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): void {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    this.head(status, { "content-type": "application/json", ...headers });
    this.end(text);
  }

  /** Breaks the connection in the middle. */
  destroy(): void {
    this.#response.destroy();
  }
}

export type Served = {
  readonly baseURL: string;
  readonly exchanges: readonly Exchange[];
  close(): Promise<void>;
};

/** A server on a free port of this machine that leaves each answer to `answer`. */
export async function serve(answer: (exchange: Exchange, index: number) => unknown): Promise<Served> {
  const exchanges: Exchange[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (text: string) => {
      body += text;
    });
    request.on("end", () => {
      const exchange = new Exchange({ path: request.url ?? "", headers: request.headers, body }, response);
      const index = exchanges.push(exchange) - 1;
      void answer(exchange, index);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseURL: `http://127.0.0.1:${port}/v1`,
    exchanges,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A chunk of a streamed answer that says `content`. */
export const saying = (content: string, more: object = {}) => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1_760_000_000,
  model: "test",
  choices: [{ index: 0, delta: { content }, finish_reason: null, ...more }],
});

/** The chunk that ends a streamed answer. */
export const finishing = (reason = "stop") => ({
  ...saying(""),
  choices: [{ index: 0, delta: {}, finish_reason: reason }],
});

/** The chunk that only carries the usage. */
export const charging = (prompt: number, completion: number) => ({
  ...saying(""),
  choices: [],
  usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
});

/** Says the texts, one event each, and ends as it should; the first text goes out alone. */
export async function say(
  exchange: Exchange,
  texts: readonly string[],
  usage = charging(7, texts.length),
): Promise<void> {
  const [first = saying(""), ...rest] = texts.map((text) => saying(text));
  await exchange.data(first);
  const events = [...rest, finishing(), usage].map((event) => `data: ${JSON.stringify(event)}\n\n`);
  exchange.end(`${events.join("")}data: [DONE]\n\n`);
}
