import { Command } from "commander";
import type { Io } from "../io.ts";
export function demoCommand(_io: Io): Command {
  return new Command("demo");
}
