import { crc32 as zlibCrc32 } from 'node:zlib';

/** Reflected CRCs of 32 or 64 bits, whose initial value and final XOR are all ones, as in S3. */
export type CrcKind = 'crc32' | 'crc32c' | 'crc64nvme';

const widths: Record<CrcKind, 32 | 64> = { crc32: 32, crc32c: 32, crc64nvme: 64 };
const polynomials: Record<CrcKind, bigint> = {
  crc32: 0xedb88320n,
  crc32c: 0x82f63b78n,
  crc64nvme: 0x9a6c9329ac4bc9b5n,
};

/**
 * Tables that process eight bytes per step, as halves of 32 bits. `tables[n][byte]` is the effect of a byte that n
 * bytes follow.
 */
function sliceTables(kind: CrcKind): { low: Uint32Array; high: Uint32Array } {
  const low = new Uint32Array(8 * 256);
  const high = new Uint32Array(8 * 256);
  const entries: bigint[] = [];
  for (let byte = 0n; byte < 256n; byte++) {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1n ? (value >> 1n) ^ polynomials[kind] : value >> 1n;
    entries.push(value);
  }
  for (let byte = 0; byte < 256; byte++) {
    let value = entries[byte]!;
    for (let slice = 0; slice < 8; slice++) {
      low[slice * 256 + byte] = Number(value & 0xffffffffn);
      high[slice * 256 + byte] = Number(value >> 32n);
      value = (value >> 8n) ^ entries[Number(value & 0xffn)]!;
    }
  }
  return { low, high };
}

/** Making them takes longer than the CRC of many kilobytes. */
const tablesOf = new Map<CrcKind, ReturnType<typeof sliceTables>>();

function slicedCrc(kind: CrcKind) {
  const tables = tablesOf.get(kind) ?? sliceTables(kind);
  tablesOf.set(kind, tables);
  let low = 0xffffffff;
  let high = widths[kind] === 64 ? 0xffffffff : 0;

  return {
    update(chunk: Buffer): void {
      const { low: tableLow, high: tableHigh } = tables;
      let at = 0;
      for (const end = chunk.length - 7; at < end; at += 8) {
        const a = low ^ chunk.readUInt32LE(at);
        const b = high ^ chunk.readUInt32LE(at + 4);
        const i0 = 1792 + (a & 255);
        const i1 = 1536 + ((a >>> 8) & 255);
        const i2 = 1280 + ((a >>> 16) & 255);
        const i3 = 1024 + (a >>> 24);
        const i4 = 768 + (b & 255);
        const i5 = 512 + ((b >>> 8) & 255);
        const i6 = 256 + ((b >>> 16) & 255);
        const i7 = b >>> 24;
        low =
          tableLow[i0]! ^
          tableLow[i1]! ^
          tableLow[i2]! ^
          tableLow[i3]! ^
          tableLow[i4]! ^
          tableLow[i5]! ^
          tableLow[i6]! ^
          tableLow[i7]!;
        high =
          tableHigh[i0]! ^
          tableHigh[i1]! ^
          tableHigh[i2]! ^
          tableHigh[i3]! ^
          tableHigh[i4]! ^
          tableHigh[i5]! ^
          tableHigh[i6]! ^
          tableHigh[i7]!;
      }
      for (; at < chunk.length; at++) {
        const index = (low ^ chunk[at]!) & 255;
        low = ((low >>> 8) | (high << 24)) ^ tableLow[index]!;
        high = (high >>> 8) ^ tableHigh[index]!;
      }
    },
    digest(): Buffer {
      const bytes = Buffer.alloc(8);
      bytes.writeUInt32BE(~high >>> 0, 0);
      bytes.writeUInt32BE(~low >>> 0, 4);
      return widths[kind] === 64 ? bytes : bytes.subarray(4);
    },
  };
}

/** A running CRC with a big-endian digest. zlib computes CRC-32, ten times as fast. */
export function crc(kind: CrcKind): { update(chunk: Buffer): void; digest(): Buffer } {
  if (kind !== 'crc32') return slicedCrc(kind);
  let value = 0;
  return {
    update(chunk) {
      value = zlibCrc32(chunk, value);
    },
    digest() {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(value);
      return bytes;
    },
  };
}

/** a·b modulo the polynomial. The highest bit is x⁰, because all values are reflected. */
function multiply(kind: CrcKind, a: bigint, b: bigint): bigint {
  let product = 0n;
  let shifted = b;
  for (let bit = 1n << BigInt(widths[kind] - 1); bit > 0n; bit >>= 1n) {
    if (a & bit) product ^= shifted;
    shifted = shifted & 1n ? (shifted >> 1n) ^ polynomials[kind] : shifted >> 1n;
  }
  return product;
}

/** x^(8·bytes): the factor by which that many appended zero bytes multiply a CRC. */
function zeroBytes(kind: CrcKind, bytes: number): bigint {
  let power = 1n << BigInt(widths[kind] - 1 - 8);
  let result = 1n << BigInt(widths[kind] - 1);
  for (let rest = BigInt(bytes); rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = multiply(kind, result, power);
    power = multiply(kind, power, power);
  }
  return result;
}

/** Computes the CRC of concatenated parts from the CRC (big-endian) and size of each part. */
export function combineCrcs(kind: CrcKind, parts: { digest: Buffer; sizeBytes: number }[]): Buffer {
  const shifts = new Map<number, bigint>(); // most parts have the same size
  let combined = 0n;
  for (const part of parts) {
    const shift = shifts.get(part.sizeBytes) ?? zeroBytes(kind, part.sizeBytes);
    shifts.set(part.sizeBytes, shift);
    combined = multiply(kind, combined, shift) ^ BigInt(`0x${part.digest.toString('hex')}`);
  }
  return Buffer.from(combined.toString(16).padStart(widths[kind] / 4, '0'), 'hex');
}
