/** CEA-608: load a caption (twice, as all control codes), two letters per frame, show it. The bytes have odd parity. */
const control = { load: [0x94, 0x20], show: [0x94, 0x2f], erase: [0x94, 0xae], row: [0x94, 0x70] } as const;

const withParity = (byte: number): number => {
  const ones = byte.toString(2).replaceAll('0', '').length;
  return ones % 2 === 0 ? byte | 0x80 : byte;
};

/** The two bytes of each frame that show a text of an even number of letters. */
function pairsOf(text: string): (readonly [number, number])[] {
  const letters = [...Buffer.from(text)].map(withParity);
  const pairs = Array.from({ length: letters.length / 2 }, (_, n) => [letters[2 * n]!, letters[2 * n + 1]!] as const);
  const { load, show, erase, row } = control;
  return [load, load, erase, erase, row, row, ...pairs, show, show];
}

/** ATSC A/53 part 4 in an SEI message of H.264. */
function seiUnit([first, second]: readonly [number, number]): Buffer {
  const data = [0xb5, 0x00, 0x31, ...Buffer.from('GA94'), 0x03, 0x41, 0xff, 0xfc, first, second, 0xff];
  return Buffer.from([0, 0, 0, 1, 6, 4, data.length, ...data, 0x80]);
}

/** An H.264 byte stream in which the first frames carry a caption and the others none. */
export function withClosedCaption(stream: Buffer, text: string): Buffer {
  const pairs = pairsOf(text);
  const parts: Buffer[] = [];
  let frame = 0;
  for (const unit of unitsOf(stream)) {
    const header = unit.indexOf(1) + 1;
    const isSlice = [1, 5].includes(unit[header]! & 31);
    const isFirstOfFrame = isSlice && (unit[header + 1]! & 0x80) !== 0;
    if (isFirstOfFrame) parts.push(seiUnit(pairs[frame++] ?? [0x80, 0x80]));
    parts.push(unit);
  }
  return Buffer.concat(parts);
}

function unitsOf(stream: Buffer): Buffer[] {
  const starts: number[] = [];
  for (let at = stream.indexOf('\0\0\x01'); at !== -1; at = stream.indexOf('\0\0\x01', at + 3)) {
    starts.push(at > 0 && stream[at - 1] === 0 ? at - 1 : at);
  }
  return starts.map((start, n) => stream.subarray(start, starts[n + 1]));
}
