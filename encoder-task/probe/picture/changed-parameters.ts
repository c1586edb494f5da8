import { type Box, readBoxes, sampleEntries, visualEntryBoxes } from '../../isobmff/boxes.ts';
import type { Movie } from '../../isobmff/movie.ts';
import { isKeySample } from '../../isobmff/sample-list.ts';
import type { MovieTrack } from '../../isobmff/track.ts';
import type { Source } from '../../source/open-source.ts';

/** Where the length of NAL units is in a configuration, and the type of those with sequence parameters. */
const codecs = [
  { box: 'avcC', lengthAt: 4, isSequence: (header: number) => (header & 0x1f) === 7 },
  { box: 'hvcC', lengthAt: 21, isSequence: (header: number) => ((header >> 1) & 0x3f) === 33 },
];

/** Enough for the parameters, which are at the beginning of a key frame. */
const headBytes = 2048;
/** A change shows in one of so many key frames, unless it lasts for less than an eighth of the video. */
const sampledKeys = 8;

/**
 * Whether frames of an MP4 may differ from its first sample description: it has several, or key frames carry sequence
 * parameters that it does not have. Recordings that are joined without encoding them are like that.
 */
export async function changesParameters(
  source: Pick<Source, 'read' | 'totalBytes'>,
  movie: Movie | undefined,
  streamIndex: number,
): Promise<boolean> {
  const track = movie?.tracks[streamIndex];
  const entries = movie ? entriesOf(movie, streamIndex) : [];
  if (!track || entries.length !== 1) return entries.length > 1;
  const coding = codingOf(entries[0]!);
  if (!coding) return false;
  const heads = await Promise.all(someKeys(track).map((sample) => beginningOf(sample, track, source)));
  return heads.some((head) =>
    nalUnits(head, coding.lengthBytes).some(
      (unit) => coding.isSequence(unit[0]!) && !coding.configuration.includes(unit),
    ),
  );
}

function entriesOf({ file }: Movie, streamIndex: number): Box[] {
  const trak = readBoxes(file.moov).filter(({ type }) => type === 'trak')[streamIndex];
  return trak ? sampleEntries(trak.payload) : [];
}

/** Undefined for other codecs, and for an entry that is damaged. */
function codingOf(entry: Box) {
  try {
    const boxes = readBoxes(visualEntryBoxes(entry));
    for (const { box, lengthAt, isSequence } of codecs) {
      const configuration = boxes.find(({ type }) => type === box)?.payload;
      if (configuration) return { configuration, isSequence, lengthBytes: (configuration.readUInt8(lengthAt) & 3) + 1 };
    }
    return undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function someKeys({ samples }: MovieTrack): number[] {
  const keys: number[] = [];
  for (let n = 0; n < samples.length; n++) if (isKeySample(samples, n)) keys.push(n);
  const chosen = Array.from({ length: sampledKeys }, (_, n) => keys[Math.floor((n * keys.length) / sampledKeys)]);
  return [...new Set(chosen)].filter((sample) => sample !== undefined);
}

/** Empty where the sample is beyond the end of the file. */
async function beginningOf(
  sample: number,
  { samples }: MovieTrack,
  { read, totalBytes }: Pick<Source, 'read' | 'totalBytes'>,
): Promise<Buffer> {
  const start = samples.positions[sample]!;
  const end = Math.min(start + samples.bytes[sample]!, start + headBytes, totalBytes);
  return end > start ? read(start, end) : Buffer.alloc(0);
}

/** Those that are complete in the beginning of a sample. */
function nalUnits(head: Buffer, lengthBytes: number): Buffer[] {
  const units: Buffer[] = [];
  for (let at = 0; at + lengthBytes < head.length; ) {
    const end = at + lengthBytes + head.readUIntBE(at, lengthBytes);
    if (end > head.length) break;
    if (end > at + lengthBytes) units.push(head.subarray(at + lengthBytes, end));
    at = end;
  }
  return units;
}
