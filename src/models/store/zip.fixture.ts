// Writes small zip archives for tests.
import { crc32 } from "node:zlib";

type Packed = { readonly name: string; readonly bytes: Buffer; readonly packed: Buffer };

const sum = (bytes: Buffer): number => (typeof crc32 === "function" ? crc32(bytes) : 0);

function record(signature: number, { name, bytes, packed }: Packed, extra: number): Buffer {
  const head = Buffer.alloc(30);
  head.writeUInt32LE(signature);
  head.writeUInt16LE(packed.equals(bytes) ? 0 : 8, 8);
  head.writeUInt32LE(sum(bytes), 14);
  head.writeUInt32LE(packed.length, 18);
  head.writeUInt32LE(bytes.length, 22);
  head.writeUInt16LE(Buffer.byteLength(name), 26);
  head.writeUInt16LE(extra, 28);
  return Buffer.concat([head, Buffer.from(name), Buffer.alloc(extra)]);
}

/** An archive of these members, in order, with an extra field in each and a comment at its end. */
export function zipOf(members: readonly Packed[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const member of members) {
    const local = record(0x04034b50, member, 5);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50);
    local.copy(central, 6, 4, 30);
    central.writeUInt16LE(3, 30);
    central.writeUInt32LE(offset, 42);
    directory.push(central, Buffer.from(member.name), Buffer.alloc(3));
    parts.push(local, member.packed);
    offset += local.length + member.packed.length;
  }
  const index = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50);
  end.writeUInt16LE(members.length, 8);
  end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(index.length, 12);
  end.writeUInt32LE(offset, 16);
  end.writeUInt16LE(7, 20);
  return Buffer.concat([...parts, index, end, Buffer.from("comment")]);
}
