import { after } from "../base/clock.ts";
import type { Stage } from "./stage.ts";

/** A cut speaker's place, kept for a while: until it is given back or let go, the time is over, or the run is stopped. */
export class Hold {
  readonly over: Promise<void>;
  #resolve: (() => void) | undefined;
  #callOff: (() => void) | undefined;
  #forget: (() => void) | undefined;

  constructor(stage: Stage, ms: number) {
    this.over = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#callOff = after(stage.settings.clock, ms, () => this.end());
    this.#forget = stage.onStop(() => this.end());
  }

  /** Ends the waiting; false where it was over before. */
  end(): boolean {
    const resolve = this.#resolve;
    if (resolve === undefined) return false;
    this.#resolve = undefined;
    this.#callOff?.();
    this.#forget?.();
    resolve();
    return true;
  }
}
