/** Where text goes; what Node's `process.stdout` is. */
export type Out = {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
};

/** The outside world of a command: programs read stdout, people and diagnostics get stderr. */
export type Io = {
  readonly stdout: Out;
  readonly stderr: Out;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Fires on Ctrl-C; a command then stops cleanly and keeps what is finished. */
  readonly signal: AbortSignal;
};
