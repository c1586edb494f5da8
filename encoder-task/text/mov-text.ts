import { escapeText } from './escape-text.ts';

const styles = [
  { flag: 1, tag: 'b' },
  { flag: 2, tag: 'i' },
  { flag: 4, tag: 'u' },
] as const;
const styleBytes = 12;
type StyleRun = { from: number; to: number; flags: number };

/**
 * The text of a sample of 3GPP timed text as WebVTT with the tags `b`, `i` and `u` (3GPP TS 26.245): a length, the text
 * in UTF-8 or UTF-16, and boxes, of which `styl` has the styles of ranges of characters.
 * @throws TypeError or RangeError when the sample is damaged
 */
export function movText(sample: Buffer): string {
  const textBytes = sample.readUInt16BE(0);
  if (2 + textBytes > sample.length) throw new RangeError('the text extends beyond its sample');
  const text = decode(sample.subarray(2, 2 + textBytes));
  const runs = styleRuns(sample.subarray(2 + textBytes));
  // Ranges count characters, not UTF-16 units.
  return runs.length === 0 ? escapeText(text) : styled([...text], runs);
}

function decode(bytes: Buffer): string {
  const isBigEndian = bytes[0] === 0xfe && bytes[1] === 0xff;
  const isLittleEndian = bytes[0] === 0xff && bytes[1] === 0xfe;
  const name = isBigEndian ? 'utf-16be' : isLittleEndian ? 'utf-16le' : 'utf-8';
  return new TextDecoder(name, { fatal: true }).decode(bytes);
}

function styleRuns(boxes: Buffer): StyleRun[] {
  for (let at = 0; at + 8 <= boxes.length; ) {
    const boxBytes = boxes.readUInt32BE(at);
    if (boxBytes < 8 || at + boxBytes > boxes.length) return [];
    if (boxes.toString('latin1', at + 4, at + 8) === 'styl') return readRuns(boxes.subarray(at + 8, at + boxBytes));
    at += boxBytes;
  }
  return [];
}

function readRuns(payload: Buffer): StyleRun[] {
  if (payload.length < 2) return [];
  const count = Math.min(payload.readUInt16BE(0), Math.floor((payload.length - 2) / styleBytes));
  return Array.from({ length: count }, (_, n) => {
    const at = 2 + n * styleBytes;
    return { from: payload.readUInt16BE(at), to: payload.readUInt16BE(at + 2), flags: payload[at + 6]! };
  }).filter(({ from, to, flags }) => from < to && (flags & 7) !== 0);
}

/** Each run of the text is closed before the next one is opened. Runs that overlap an earlier one start after it. */
function styled(characters: string[], runs: StyleRun[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { from, to, flags } of runs.sort((a, b) => a.from - b.from)) {
    const [start, end] = [Math.max(at, from), Math.min(to, characters.length)];
    if (start >= end) continue;
    const tags = styles.filter(({ flag }) => (flags & flag) !== 0).map(({ tag }) => tag);
    parts.push(escapeText(characters.slice(at, start).join('')), ...tags.map((tag) => `<${tag}>`));
    parts.push(escapeText(characters.slice(start, end).join('')), ...tags.reverse().map((tag) => `</${tag}>`));
    at = end;
  }
  return parts.join('') + escapeText(characters.slice(at).join(''));
}
