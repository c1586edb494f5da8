import type { ProbeStream } from '../../shared/protocol/probe-document.ts';

/** IDs of Matroska (RFC 9559). */
const ids = { segment: 0x18538067, tracks: 0x1654ae6b, entry: 0xae, type: 0x83, codec: 0x86, isEnabled: 0xb9 };
/** Types of tracks of which FFmpeg makes streams: video, audio, subtitles, metadata. */
const streamTypes = new Set([1, 2, 0x11, 0x21]);

type Element = { id: number; payload: Buffer };

/** The elements TrackEntry at the beginning of a file: the n-th describes FFmpeg's stream n. Throws RangeError. */
export const trackEntries = (head: Buffer): Buffer[] =>
  elements(element(element(head, ids.segment), ids.tracks))
    .filter(({ id }) => id === ids.entry)
    .map(({ payload }) => payload)
    .filter((entry) => element(entry, ids.codec) && streamTypes.has(numberIn(elements(entry), ids.type) ?? 0));

export const element = (bytes: Buffer | undefined, id: number): Buffer | undefined =>
  elements(bytes).find((each) => each.id === id)?.payload;

/** An unsigned integer. */
export const numberIn = (all: Element[], id: number): number | undefined =>
  all.find((each) => each.id === id)?.payload.reduce((value, byte) => value * 256 + byte, 0);

/** The elements in `bytes`. The last one may be cut off. */
export function elements(bytes: Buffer | undefined): Element[] {
  const found: Element[] = [];
  let at = 0;
  const number = (keepsMarker: boolean): number => {
    const first = bytes!.readUInt8(at);
    const length = Math.clz32(first) - 23;
    if (length > 8) throw new RangeError('no EBML number');
    let value = keepsMarker ? first : first & (0xff >> length);
    for (const byte of bytes!.subarray(at + 1, at + length)) value = value * 256 + byte;
    at += length;
    // all bits of an unknown size are 1: the element ends with its parent
    return !keepsMarker && value === 2 ** (7 * length) - 1 ? Number.POSITIVE_INFINITY : value;
  };
  while (bytes && at < bytes.length) {
    const id = number(true);
    if (at >= bytes.length) break;
    const size = number(false);
    found.push({ id, payload: bytes.subarray(at, at + size) });
    at += size;
  }
  return found;
}

/** FFmpeg ignores FlagEnabled of Matroska. In MP4, a track that is disabled is not the default. */
export function withEnabledFlags(streams: ProbeStream[], head: Buffer): ProbeStream[] {
  let entries: Buffer[] = [];
  try {
    entries = trackEntries(head);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  const isDisabled = ({ index }: ProbeStream): boolean => numberIn(elements(entries[index]), ids.isEnabled) === 0;
  return streams.map((stream) =>
    isDisabled(stream) ? { ...stream, disposition: { ...stream.disposition, default: 0 } } : stream,
  );
}
