/** Positions of a box in a file: `at` of its header, `payload` of its content. */
export type BoxPosition = { type: string; at: number; payload: number; end: number };

const containers = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl', 'edts', 'dinf', 'mvex', 'moof', 'traf', 'udta']);

/** All boxes of an undamaged MP4, including nested ones. */
export function boxesOf(bytes: Buffer, start = 0, end = bytes.length): BoxPosition[] {
  const positions: BoxPosition[] = [];
  for (let at = start; at + 8 <= end; ) {
    const size = bytes.readUInt32BE(at) || end - at;
    const type = bytes.toString('latin1', at + 4, at + 8);
    const position = { type, at, payload: at + 8, end: at + size };
    positions.push(position);
    if (containers.has(type)) positions.push(...boxesOf(bytes, position.payload, position.end));
    at = position.end;
  }
  return positions;
}
