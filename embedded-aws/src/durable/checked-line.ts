import { createReadStream } from 'node:fs';
import { crc32 } from 'node:zlib';

const checksumDigits = 8;

/** A value as a line of a journal: the checksum of its JSON, and the JSON. */
export function toCheckedLine(value: unknown): string {
  const json = JSON.stringify(value);
  return `${crc32(json).toString(16).padStart(checksumDigits, '0')} ${json}\n`;
}

/** Parses a line without its newline. Undefined when it is not what was written. */
export function fromCheckedLine<Value>(line: Buffer): { value: Value } | undefined {
  const json = jsonOf(line);
  return json && { value: JSON.parse(json.toString('utf8')) };
}

/** Whether the JSON of a line begins with this text. */
export const jsonBegins = (line: Buffer, text: string): boolean =>
  line.subarray(isOfEarlierVersion(line) ? 0 : checksumDigits + 1).indexOf(text) === 0;

function jsonOf(line: Buffer): Buffer | undefined {
  const tab = line.indexOf('\t');
  if (isOfEarlierVersion(line) && tab === -1) return isJson(line) ? line : undefined;
  const [checksum, json] = isOfEarlierVersion(line)
    ? [line.subarray(tab + 1), line.subarray(0, tab)]
    : [line.subarray(0, checksumDigits), line.subarray(checksumDigits + 1)];
  return Number.parseInt(checksum.toString('latin1'), 16) === crc32(json) ? json : undefined;
}

/**
 * Earlier versions of this project wrote the lines of executions as JSON: 0.1.0 without a checksum, later ones with a
 * tab and the checksum.
 */
const isOfEarlierVersion = (line: Buffer): boolean => line[0] === 0x7b;

function isJson(line: Buffer): boolean {
  try {
    JSON.parse(line.toString('utf8'));
    return true;
  } catch {
    return false;
  }
}

/** The lines of a file without their ends. The last one may have no end: it was not written completely. */
export async function* linesOf(path: string): AsyncGenerator<{ line: Buffer; isEnded: boolean }> {
  let pieces: Buffer[] = [];
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      yield { line: Buffer.concat([...pieces, chunk.subarray(start, end)]), isEnded: true };
      pieces = [];
      start = end + 1;
    }
    if (start < chunk.length) pieces.push(chunk.subarray(start));
  }
  if (pieces.length > 0) yield { line: Buffer.concat(pieces), isEnded: false };
}
