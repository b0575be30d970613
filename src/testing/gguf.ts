// A model file made up on the spot: a small llama with random weights, so that whatever runs GGUF files is always tested.
import { normal, random } from "../base/random.ts";
import type { Random } from "../base/random.ts";

export type TinyGguf = {
  readonly seed?: number;
  /** The context it says it was trained on (default 2048). */
  readonly contextTokens?: number;
  readonly layers?: number;
  /** How eager it is to end its turn; 0, the default: it goes on until it is stopped. */
  readonly ending?: number;
  /** A chat template (default: ChatML); null: none. */
  readonly template?: string | null;
  /** The format's version (default 3). */
  readonly version?: number;
};

/** A template with turns between `<|im_start|>` and `<|im_end|>`. */
export const chatTemplate =
  "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}" +
  "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

const width = 64;
const heads = 4;
const keyHeads = 2;
const hidden = 64;

// Values of metadata, by the format's number of their type.
const u32 = (value: number) => ({ type: 4, value });
const f32 = (value: number) => ({ type: 6, value });
const bool = (value: boolean) => ({ type: 7, value });
const text = (value: string) => ({ type: 8, value });
const texts = (value: readonly string[]) => ({ type: 9, item: 8, value });
const i32s = (value: readonly number[]) => ({ type: 9, item: 5, value });

type Value = { readonly type: number; readonly item?: number; readonly value: unknown };
type Tensor = { readonly name: string; readonly dimensions: readonly number[]; readonly data: Float32Array };

/** Grows as it is written; little-endian. */
class Bytes {
  #view = new DataView(new ArrayBuffer(1 << 20));
  length = 0;

  #room(count: number): number {
    const at = this.length;
    this.length += count;
    while (this.length > this.#view.byteLength) {
      const larger = new Uint8Array(this.#view.byteLength * 2);
      larger.set(new Uint8Array(this.#view.buffer));
      this.#view = new DataView(larger.buffer);
    }
    return at;
  }

  u32(value: number): void {
    const at = this.#room(4);
    this.#view.setUint32(at, value, true);
  }

  u64(value: number): void {
    const at = this.#room(8);
    this.#view.setBigUint64(at, BigInt(value), true);
  }

  f32(value: number): void {
    const at = this.#room(4);
    this.#view.setFloat32(at, value, true);
  }

  u8(value: number): void {
    const at = this.#room(1);
    this.#view.setUint8(at, value);
  }

  string(value: string): void {
    const bytes = new TextEncoder().encode(value);
    this.u64(bytes.length);
    for (const byte of bytes) this.u8(byte);
  }

  pad(alignment: number): void {
    while (this.length % alignment > 0) this.u8(0);
  }

  get bytes(): Uint8Array {
    return new Uint8Array(this.#view.buffer, 0, this.length);
  }
}

function writeValue(out: Bytes, { type, item, value }: Value): void {
  if (type === 8) out.string(value as string);
  else if (type === 7) out.u8(value === true ? 1 : 0);
  else if (type === 6) out.f32(value as number);
  else if (type === 9) {
    out.u32(item ?? 0);
    out.u64((value as readonly unknown[]).length);
    for (const each of value as readonly unknown[]) writeValue(out, { type: item ?? 0, value: each });
  } else out.u32(value as number);
}

function write(metadata: Readonly<Record<string, Value>>, tensors: readonly Tensor[], version: number): Uint8Array {
  const out = new Bytes();
  for (const letter of "GGUF") out.u8(letter.charCodeAt(0));
  out.u32(version);
  out.u64(tensors.length);
  out.u64(Object.keys(metadata).length);
  for (const [key, value] of Object.entries(metadata)) {
    out.string(key);
    out.u32(value.type);
    writeValue(out, value);
  }
  let offset = 0;
  for (const { name, dimensions, data } of tensors) {
    out.string(name);
    out.u32(dimensions.length);
    for (const size of dimensions) out.u64(size);
    out.u32(0);
    out.u64(offset);
    offset += Math.ceil((data.length * 4) / 32) * 32;
  }
  for (const { data } of tensors) {
    out.pad(32);
    for (const weight of data) out.f32(weight);
  }
  return out.bytes;
}

/** The printable stand-ins for bytes that byte-level tokenizers use. */
function byteLetters(): readonly string[] {
  const plain = (byte: number) => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
  let moved = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(plain(byte) ? byte : moved++));
}

/** Those with a space come first: of two pairs that could be joined the earlier merge wins. */
const sayings = [
  " Yes",
  " No",
  " the",
  " step",
  " answer",
  " is",
  " so",
  " and",
  "END_STEP",
  "Yes",
  "No",
  "é",
  "日",
  "😀",
];

/** Byte tokens, whole words with the merges that lead to them, and the control tokens. */
function vocabulary() {
  const letters = byteLetters();
  const tokens = [...letters];
  const merges: string[] = [];
  const whole = new Set<number>();
  for (const word of sayings) {
    const [first = "", ...rest] = [...new TextEncoder().encode(word)].map((byte) => letters[byte] ?? "");
    let joined = first;
    for (const letter of rest) {
      const longer = joined + letter;
      if (!tokens.includes(longer)) {
        merges.push(`${joined} ${letter}`);
        tokens.push(longer);
      }
      joined = longer;
    }
    whole.add(tokens.indexOf(joined));
  }
  const control = tokens.length;
  tokens.push("<|endoftext|>", "<|im_start|>", "<|im_end|>");
  const sayable = (token: number) => (token < 256 ? (token >= 32 && token < 127) || token === 10 : whole.has(token));
  return { tokens, merges, control, sayable };
}

type Vocabulary = ReturnType<typeof vocabulary>;

const matrix = (next: Random, name: string, [columns, rows]: readonly [number, number]): Tensor => {
  const scale = 1 / Math.sqrt(columns);
  return {
    name,
    dimensions: [columns, rows],
    data: Float32Array.from({ length: columns * rows }, () => normal(next) * scale),
  };
};

const ones = (name: string): Tensor => ({ name, dimensions: [width], data: new Float32Array(width).fill(1) });

function layer(next: Random, index: number): Tensor[] {
  const keys = (width / heads) * keyHeads;
  const at = (name: string) => `blk.${index}.${name}.weight`;
  return [
    ones(at("attn_norm")),
    matrix(next, at("attn_q"), [width, width]),
    matrix(next, at("attn_k"), [width, keys]),
    matrix(next, at("attn_v"), [width, keys]),
    matrix(next, at("attn_output"), [width, width]),
    ones(at("ffn_norm")),
    matrix(next, at("ffn_gate"), [width, hidden]),
    matrix(next, at("ffn_up"), [width, hidden]),
    matrix(next, at("ffn_down"), [hidden, width]),
  ];
}

/** The head: tokens that are no words get no weight, so that what it says is nearly always whole characters. */
function head(next: Random, { tokens, sayable, control }: Vocabulary, ending: number): Tensor {
  const output = matrix(next, "output.weight", [width, tokens.length]);
  tokens.forEach((_, token) => {
    if (sayable(token)) return;
    const factor = token === control + 2 ? ending : 0;
    for (let column = 0; column < width; column++) output.data[token * width + column]! *= factor;
  });
  return output;
}

/** The bytes of a GGUF file (version 3, 32-bit weights, llama, byte-level vocabulary) with random weights from `seed`. */
export function tinyGguf(options: TinyGguf = {}): Uint8Array {
  const { seed = 1, contextTokens = 2048, layers = 2, ending = 0, template = chatTemplate, version = 3 } = options;
  const known = vocabulary();
  const { tokens, merges, control } = known;
  const next = random(seed);
  const metadata: Record<string, Value> = {
    "general.architecture": text("llama"),
    "general.name": text("tiny"),
    "llama.context_length": u32(contextTokens),
    "llama.embedding_length": u32(width),
    "llama.block_count": u32(layers),
    "llama.feed_forward_length": u32(hidden),
    "llama.attention.head_count": u32(heads),
    "llama.attention.head_count_kv": u32(keyHeads),
    "llama.attention.layer_norm_rms_epsilon": f32(1e-5),
    "llama.rope.dimension_count": u32(width / heads),
    "tokenizer.ggml.model": text("gpt2"),
    "tokenizer.ggml.pre": text("gpt-2"),
    "tokenizer.ggml.tokens": texts(tokens),
    "tokenizer.ggml.token_type": i32s(tokens.map((_, token) => (token >= control ? 3 : 1))),
    "tokenizer.ggml.merges": texts(merges),
    "tokenizer.ggml.bos_token_id": u32(control),
    "tokenizer.ggml.eos_token_id": u32(control + 2),
    "tokenizer.ggml.add_bos_token": bool(false),
    ...(template === null ? {} : { "tokenizer.chat_template": text(template) }),
  };
  const embedding = matrix(next, "token_embd.weight", [width, tokens.length]);
  const blocks = Array.from({ length: layers }, (_, index) => layer(next, index)).flat();
  return write(metadata, [embedding, ...blocks, ones("output_norm.weight"), head(next, known, ending)], version);
}

/** The bytes of a LoRA adapter in GGUF form with random weights, for the queries of a `tinyGguf` of as many layers. */
export function tinyLora({ seed = 2, layers = 2, rank = 4 } = {}): Uint8Array {
  const next = random(seed);
  const metadata = {
    "general.type": text("adapter"),
    "general.architecture": text("llama"),
    "adapter.type": text("lora"),
    "adapter.lora.alpha": f32(2 * rank),
  };
  const pairs = Array.from({ length: layers }, (_, index) => [
    matrix(next, `blk.${index}.attn_q.weight.lora_a`, [width, rank]),
    matrix(next, `blk.${index}.attn_q.weight.lora_b`, [rank, width]),
  ]);
  return write(metadata, pairs.flat(), 3);
}
