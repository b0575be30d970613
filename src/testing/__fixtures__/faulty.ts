// Run on its own: the suite over a sound model, and over each one that is spoiled.
import { modelSuite } from "../model-suite.ts";
import { faults, sound } from "./faults.ts";

modelSuite("sound", { make: (behaviour) => ({ model: sound(behaviour) }), calls: 10 });
modelSuite("skipped", { make: () => ({ skip: "it cannot be made to" }) });
for (const [fault, found, spoil] of faults) {
  modelSuite(fault, {
    make: (behaviour) => {
      // A deaf model would never end a call that is silent.
      if (behaviour === "silent" && !found.includes("first text")) return { skip: "found elsewhere" };
      return { model: { id: fault, stream: (request) => spoil(sound(behaviour), request) } };
    },
    calls: 10,
  });
}
