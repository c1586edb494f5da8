import { writeFile } from 'node:fs/promises';

/** Macroblocks per side of a frame. */
const [blocksWide, blocksHigh] = [2, 2];
const gopFrames = 25;
const greyOf = (field: number): number => 40 + (field % 180);

/**
 * Writes H.264 of 32 × 32 pixels and 25 fps with separately coded fields, as in broadcasts; none of the installed
 * encoders can make it. The macroblocks are flat and uncompressed (ITU-T H.264, 7.3; I_PCM). Each field is a little
 * lighter than the previous one.
 */
export async function writeFieldPairs(file: string, frames: number): Promise<void> {
  const units = Array.from({ length: frames }, (_, frame) => [
    ...(frame % gopFrames === 0 ? [sequenceParameters(), pictureParameters()] : []),
    field(frame, 0),
    field(frame, 1),
  ]);
  await writeFile(file, Buffer.concat(units.flat()));
}

const sequenceParameters = (): Buffer =>
  unit(
    [
      u(8, 77),
      u(8, 0),
      u(8, 30),
      ue(0), // main profile, level 3
      ue(4),
      ue(0),
      ue(4),
      ue(1),
      u(1, 0), // 8 bits of frame number and of picture order count, one reference
      ue(blocksWide - 1),
      ue(blocksHigh / 2 - 1),
      u(1, 0),
      u(1, 0),
      u(1, 1),
      u(1, 0), // fields allowed, no MBAFF; not cropped
      u(1, 1),
      u(4, 0),
      u(1, 1),
      u(32, 1),
      u(32, 50),
      u(1, 1),
      u(4, 0), // 50 fields per second
    ],
    { type: 7 },
  );

const pictureParameters = (): Buffer =>
  unit([ue(0), ue(0), u(2, 0), ue(0), ue(0), ue(0), u(3, 0), ue(0), ue(0), ue(0), u(3, 0b100)], { type: 8 });

function field(frame: number, bottom: 0 | 1): Buffer {
  const inGop = frame % gopFrames;
  const isStart = inGop === 0 && bottom === 0;
  const block = [ue(25), align, u(8, greyOf(2 * frame + bottom)).repeat(256), u(8, 128).repeat(128)];
  return unit(
    [
      ue(0),
      ue(7),
      ue(0),
      u(8, inGop),
      u(1, 1),
      u(1, bottom), // intra slice of a field
      ...(isStart ? [ue(Math.floor(frame / gopFrames) % 2)] : []),
      u(8, 2 * inGop + bottom),
      u(isStart ? 2 : 1, 0),
      ue(0),
      ue(1), // picture order count; no deblocking
      ...Array<string[]>((blocksWide * blocksHigh) / 2)
        .fill(block)
        .flat(),
    ],
    { type: isStart ? 5 : 1 },
  );
}

const align = 'align';
const u = (bits: number, value: number): string => value.toString(2).padStart(bits, '0');
/** Exp-Golomb code. */
function ue(value: number): string {
  const code = (value + 1).toString(2);
  return '0'.repeat(code.length - 1) + code;
}

/** A NAL unit after its start code, with emulation prevention. */
function unit(parts: string[], { type }: { type: number }): Buffer {
  let bits = '';
  for (const part of parts) bits += part === align ? '0'.repeat((8 - (bits.length % 8)) % 8) : part;
  bits += '1';
  const bytes: number[] = [];
  for (let at = 0; at < bits.length; at += 8) {
    const byte = Number.parseInt(bits.slice(at, at + 8).padEnd(8, '0'), 2);
    if (byte <= 3 && bytes.at(-1) === 0 && bytes.at(-2) === 0) bytes.push(3);
    bytes.push(byte);
  }
  return Buffer.from([0, 0, 0, 1, 0x60 | type, ...bytes]);
}
