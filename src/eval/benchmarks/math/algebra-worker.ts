// A thread of its own for the algebra system, so that a formula that never ends can be ended from outside.
import { parentPort } from "node:worker_threads";
import { ComputeEngine } from "@cortex-js/compute-engine";

type Question = { readonly id: number; readonly right: string; readonly given: string };

const engine = new ComputeEngine();

/** Whether two formulas are equal; undefined where the engine cannot read one of them, or cannot tell. */
function equal({ right, given }: Question): boolean | undefined {
  const [one, other] = [engine.parse(right), engine.parse(given)];
  if (!one.isValid || !other.isValid) return undefined;
  return one.isSame(other) || one.isEqual(other);
}

parentPort?.on("message", (question: Question) => {
  let result: boolean | undefined;
  try {
    result = equal(question);
  } catch {
    // What the engine cannot work with is not known to be equal.
  }
  parentPort?.postMessage({ id: question.id, result }, []);
});
parentPort?.postMessage({ id: 0, result: true }, []);
