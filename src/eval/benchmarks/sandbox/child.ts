// The process in which code under test runs: it holds one Python interpreter, and does what its parent says.
// It is started without rights: see `process.ts`. It imports nothing of this project, so that it needs to read nothing.
import dgram from "node:dgram";
import dns from "node:dns";
import { constants } from "node:fs";
import net from "node:net";

type Task = {
  readonly id: number;
  readonly code: string;
  /** Empty: the code is a program. */
  readonly function: string;
  readonly input: string;
  readonly ms: number;
};

type Operations = Record<string, (...given: readonly unknown[]) => unknown>;
type Interpreter = {
  readonly globals: { get(name: string): (code: string, name: string, input: string) => string };
  runPython(code: string): unknown;
  setStdin(options: { readonly read: (into: Uint8Array) => number; readonly isatty: boolean }): void;
  setStdout(options: { readonly write: (bytes: Uint8Array) => number; readonly isatty: boolean }): void;
  setStderr(options: { readonly write: (bytes: Uint8Array) => number; readonly isatty: boolean }): void;
  setInterruptBuffer(buffer: unknown): void;
};

/** Beneath the interpreter: its memory and its files. */
type Emscripten = {
  readonly HEAPU8: Uint8Array<ArrayBuffer>;
  stackSave(): number;
  stackRestore(place: number): void;
  readonly MEMFS: { readonly ops_table: Record<string, { readonly node: Operations; readonly stream: Operations }> };
  readonly FS: {
    streams: ({ fd: number | null; position: number } | null | undefined)[];
    currentPath: string;
    ErrnoError: new (code: number) => Error;
  };
};

const [pyodideUrl = "", memory = "", mostOutput = "", preparation = ""] = process.argv.slice(2);
const mostMemory = Number(memory);
const mostBytes = Number(mostOutput);

/** No way out: sockets, names, requests. Python has no access to these; this holds if it ever finds one. */
function closeNetwork(): void {
  const refuse = () => {
    throw new Error("there is no network here");
  };
  net.Socket.prototype.connect = refuse;
  net.Server.prototype.listen = refuse as never;
  dgram.createSocket = refuse;
  dns.lookup = refuse as never;
  for (const name of ["fetch", "WebSocket", "EventSource", "XMLHttpRequest", "BroadcastChannel", "MessageChannel"]) {
    Reflect.deleteProperty(globalThis, name);
  }
  // Pyodide asks for one of these by its old name, which a process without rights may not use.
  const known: Readonly<Record<string, unknown>> = { constants: { fs: constants } };
  Object.assign(process, { binding: (name: string) => known[name], getBuiltinModule: undefined, dlopen: undefined });
}

/** Python's memory grows up to the limit; beyond it Python raises MemoryError. */
function limitMemory(): void {
  const grow: unknown = Reflect.get(WebAssembly.Memory.prototype, "grow");
  WebAssembly.Memory.prototype.grow = function limited(pages) {
    if (this.buffer.byteLength + pages * 65_536 > mostMemory) throw new RangeError("no more memory");
    return Reflect.apply(grow as (pages: number) => number, this, [pages]);
  };
}

/**
 * What Python calls to work with JavaScript's objects, to call functions by address, to find them by name, and for sockets.
 * Only starting the interpreter needs these.
 */
const reachingOut = new RegExp(
  [
    "^(?:Js(?:v(?:Function|Object|Array_(?!Get)|Buffer|Promise|Generator|Map|Set|LiteralMap)|Module|Proxy|Buffer|ObjMap|Array|Map)",
    "JsException|JsDoubleProxy|_Js(?:Object|Array)|raw_call_js|ffi_|create_|wrap_|get_async|set_pyodide_module",
    "emscripten_(?:asm_const|run_script|debugger|log|set_up|gl|webgl)|_?(?:emscripten_)?dl(?:open|sym)_js",
    "_emscripten_system|__syscall_(?:socket|connect|bind|listen|accept4|send|recv)|get(?:addr|name)info|_maybe_)",
  ].join("|"),
);

/** Once `now.sealed`, code that gets at those nevertheless (through ctypes, or by taking memory apart) ends its run. */
function sealImports(): void {
  const instantiate: unknown = Reflect.get(WebAssembly, "instantiate");
  const sealed = (name: string, imported: unknown): unknown => {
    if (typeof imported !== "function" || !reachingOut.test(name)) return imported;
    return (...given: readonly unknown[]): unknown => {
      if (now.sealed) throw new Error("there is no way out of here");
      return Reflect.apply(imported as () => unknown, undefined, given);
    };
  };
  const withSeals = (source: unknown, imports?: Record<string, object>) => {
    const env = Object.entries(imports?.["env"] ?? {}).map(([name, imported]) => [name, sealed(name, imported)]);
    const all = imports?.["env"] === undefined ? imports : { ...imports, env: Object.fromEntries(env) as object };
    return Reflect.apply(instantiate as () => unknown, WebAssembly, all === undefined ? [source] : [source, all]);
  };
  Object.assign(WebAssembly, { instantiate: withSeals });
}

const readOnlyError = 69;

/** Files in Python's own file system can be read and not written. */
function closeFiles({ MEMFS, FS }: Emscripten): void {
  const refuse = () => {
    throw new FS.ErrnoError(readOnlyError);
  };
  for (const { node } of Object.values(MEMFS.ops_table)) {
    for (const name of ["mknod", "unlink", "rmdir", "rename", "symlink", "setattr"]) {
      if (node[name] !== undefined) node[name] = refuse;
    }
  }
  const { file } = MEMFS.ops_table;
  for (const name of ["write", "allocate", "msync"]) if (file !== undefined) file.stream[name] = refuse;
}

/** What the code at work reads, has written, and when it is late. */
const now = {
  input: new Uint8Array(),
  read: 0,
  written: [] as Uint8Array[],
  bytes: 0,
  /** Both must have passed: on a busy machine the first comes early. */
  late: Infinity,
  lateCpu: Infinity,
  asked: false,
  sealed: false,
};

function write(bytes: Uint8Array): number {
  now.bytes += bytes.length;
  if (now.bytes > mostBytes) throw new Error("too much output");
  now.written.push(bytes.slice());
  return bytes.length;
}

function read(into: Uint8Array): number {
  const part = now.input.subarray(now.read, now.read + into.length);
  into.set(part);
  now.read += part.length;
  return part.length;
}

/** How long code may go on after it was asked to stop, before this process ends itself; its parent ends it too. */
const graceMs = 1000;

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

function allow(ms: number): void {
  now.late = Date.now() + ms;
  now.lateCpu = cpuMs() + ms;
}

/** Python looks here every few dozen instructions whether it shall stop: 2 is an interrupt. */
const interrupts = {
  get 0(): number {
    if (Date.now() < now.late || cpuMs() < now.lateCpu) return 0;
    if (now.asked) process.kill(process.pid, "SIGKILL");
    now.asked = true;
    allow(graceMs);
    return 2;
  },
  set 0(_value: number) {
    // Python marks the interrupt as seen; the next one is due later.
  },
};

async function start(): Promise<(task: Task) => object> {
  closeNetwork();
  limitMemory();
  sealImports();
  const pyodide = (await import(pyodideUrl)) as { loadPyodide(options: object): Promise<Interpreter> };
  const python = await pyodide.loadPyodide({
    jsglobals: Object.create(null) as object,
    env: {},
    checkAPIVersion: false,
  });
  python.setStdin({ read, isatty: false });
  python.setStdout({ write, isatty: false });
  python.setStderr({ write: (bytes) => bytes.length, isatty: false });
  python.runPython(preparation);
  const module = Reflect.get(python, "_module") as Emscripten;
  closeFiles(module);
  python.setInterruptBuffer(interrupts);
  const run = python.globals.get("run_answer");
  // One run, so that what the first of all does only once is in the copy.
  run("print(sum(range(3)))", "", "");
  const { FS } = module;
  now.sealed = true;
  const base = module.HEAPU8.slice();
  const stack = module.stackSave();
  const streams = FS.streams.slice(0, 3);
  /** Every run begins with the same bytes: nothing is left of the one before. */
  const restore = () => {
    module.HEAPU8.set(base);
    module.HEAPU8.fill(0, base.length);
    module.stackRestore(stack);
    FS.streams = streams.map((stream, fd) => Object.assign(stream ?? {}, { fd, position: 0 }));
    FS.currentPath = "/";
    Object.assign(now, {
      input: new Uint8Array(),
      read: 0,
      written: [],
      bytes: 0,
      late: Infinity,
      lateCpu: Infinity,
      asked: false,
    });
  };
  restore();
  return (task) => {
    now.input = task.function === "" ? new TextEncoder().encode(task.input) : now.input;
    allow(task.ms);
    try {
      return outcomeOf(task, run(task.code, task.function, task.input));
    } catch (error) {
      const deep = error instanceof RangeError;
      return { outcome: "error", text: deep ? "it called itself too deeply" : "it broke the interpreter" };
    } finally {
      restore();
    }
  };
}

function outcomeOf(task: Task, said: unknown): object {
  if (typeof said !== "string") return { outcome: "error", text: "it broke the interpreter" };
  const [outcome = "", ...rest] = said.split("\n");
  const text = rest.join("\n");
  if (now.bytes > mostBytes || text.length > mostBytes) {
    return { outcome: "output", text: `it wrote more than ${mostBytes} bytes` };
  }
  if (outcome !== "ok" || task.function !== "") return { outcome, text };
  return { outcome, text: new TextDecoder().decode(Buffer.concat(now.written)) };
}

const send = (message: object): void => {
  process.send?.(message);
};

process.on("disconnect", () => process.exit(0));
try {
  const run = await start();
  process.on("message", (task: Task) => send({ id: task.id, ...run(task), cpuMs: cpuMs() }));
  send({ id: 0, outcome: "ok", text: "" });
} catch (error) {
  send({ id: 0, outcome: "failed", text: error instanceof Error ? error.message : String(error) });
}
