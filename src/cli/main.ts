#!/usr/bin/env node
// The process around the program: its arguments, signals and pipes.

import { existsSync, readFileSync } from "node:fs";
import { program } from "./program.ts";

/** The version in the package's own manifest, the nearest one above this file. */
function versionOf(from = new URL(".", import.meta.url)): string {
  const manifest = new URL("package.json", from);
  if (!existsSync(manifest)) return from.pathname === "/" ? "unknown" : versionOf(new URL("..", from));
  return (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version;
}

/** What a shell says of a process that such a signal has ended. */
const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129, SIGPIPE: 141 } as const;

const stop = new AbortController();
let stoppedBy: keyof typeof codes | undefined;

/** Ends at once. Where that waits for a read that the file system never answers, the next signal kills. */
function leave(signal: keyof typeof codes): void {
  process.removeAllListeners(signal);
  process.exit(codes[signal]);
}

function end(signal: keyof typeof codes): void {
  // Whoever asks twice does not want to wait.
  if (stoppedBy !== undefined && signal !== "SIGPIPE") leave(signal);
  stoppedBy ??= signal;
  stop.abort(new DOMException(`ended by ${signal}`, "AbortError"));
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => end(signal));
// The reader has left, as `head` does: nothing more is written, and that is nobody's mistake.
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE" || error.code === "EIO") end("SIGPIPE");
    else throw error;
  });

const { stdout, stderr, env } = process;
const code = await program(process.argv.slice(2), { stdout, stderr, env, signal: stop.signal }, versionOf());
process.exitCode = stoppedBy === undefined || code === 0 ? code : codes[stoppedBy];
// What nothing can stop keeps no process that was told to end.
const by = stoppedBy;
const leaveMs = 1000;
const kill = () => {
  if (by === undefined || by === "SIGPIPE") return;
  process.removeAllListeners(by);
  process.kill(process.pid, by);
};
if (by !== undefined) setTimeout(kill, leaveMs).unref();
