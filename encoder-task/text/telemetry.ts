import { parseRational, toNumber } from '../../shared/media/rational.ts';
import type { ProbeDocument, ProbeStream } from '../../shared/protocol/probe-document.ts';
import { type ProbeInput, textPacketsArgs } from '../ffmpeg/ffprobe-args.ts';
import type { Survey } from '../probe/tracks/packet-survey.ts';
import { type ProcessContext, run } from '../runtime/run-process.ts';
import { createTextPacketReader, type TextPacket } from './text-packets.ts';

/**
 * What drones and dashcams write into text tracks, as bytes of Latin-1. The tests have an example of each. A new form
 * is a new line.
 */
const forms: Record<string, RegExp> = {
  /** two coordinates, such as `[latitude: 48.1234] [longitude: 11.5678]` */
  coordinates: /\d{1,3}\.\d{4,}\D{1,24}\d{1,3}\.\d{4,}/,
  /** also without a position: `GPS (0.0, 0.0, 0)`, `HOME(W: 97.6, N: 30.2)` */
  position: /\b(gps|home) ?\( ?([a-z]: ?)?[-+]?\d|\b(latitude|long?t?itude|lat|lon|lng) ?[:=] ?[-+]?\d/i,
  /** sentences of receivers of satellite navigation (NMEA 0183) */
  nmea: /\bG[A-Z](RMC|GGA|GLL|GSA|GSV|VTG),/,
  camera: /\biso ?:? ?\d{2,6}\b.*\b(ss|shutter|ev|f-?num|fnum)\b|\b(ss|shutter|f-?num) ?:? ?\d.*\biso ?:? ?\d/is,
  counter: /\b(frame|srt)cnt ?: ?\d/i,
  /** date and time of the recording */
  clock: /\b(19|20)\d\d([-/.:])[01]\d\2[0-3]\d[ T][0-2]\d:[0-5]\d:[0-5]\d/,
  /** date, time and coordinates without names: `A,270519,201555.000,3356.8925,N,…` */
  record: /\b[AV],\d{6},\d{6}(\.\d+)?,/,
  sensor: /\bg-?sensor[a-z]?[,:=]/i,
  /** binary or enciphered records of dashcams */
  binary: /PNDM|\xaa\xaa\xaa\xaa|\xf2\xe1\xf0\xee|\*[0-9A-F]{2}~/,
};

/** Cues that follow each other faster cannot be read. */
const minCuesPerSecond = 4;
const minDenseCues = 8;

type Cue = Pick<TextPacket, 'startSeconds' | 'bytes'>;

/** Whether the first cues of a text track are data of the camera and not text for viewers. */
export function isTelemetry(cues: readonly Cue[]): boolean {
  const texts = cues.map(({ bytes }) => bytes.toString('latin1')).filter((text) => /[^\0-\x20]/.test(text));
  const areMost = (some: (text: string) => boolean): boolean =>
    texts.length > 0 && texts.filter(some).length >= texts.length / 2;
  if (areMost((text) => Object.values(forms).some((form) => form.test(text)))) return true;
  const spanSeconds = (cues.at(-1)?.startSeconds ?? 0) - (cues[0]?.startSeconds ?? 0);
  const isDense = cues.length >= minDenseCues && cues.length > minCuesPerSecond * spanSeconds;
  return isDense && areMost((text) => /\d/.test(text));
}

/** Cameras write from the beginning on, at least once a second. */
const sampleSeconds = 20;
const sampledCues = 200;

/** Seconds from one text of a camera to the next, on average. Subtitles have longer pauses. */
const longestPause = 1.5;

/** Whether the texts of a track follow each other as closely as those of a camera. */
function isDenselyWritten({ index, time_base }: ProbeStream, survey: Survey): boolean {
  const timeBase = parseRational(time_base);
  const found = survey.get(index);
  return (
    timeBase !== undefined &&
    found !== undefined &&
    (found.endPts - found.startPts) * toNumber(timeBase) <= longestPause * found.packets
  );
}

/**
 * The indexes of those text tracks that hold data of a camera, often its position: neither headers nor flags
 * distinguish them from subtitles. Cameras write MP4 and MOV. Files of other containers are read again only where a
 * track that was copied into one is written as densely, because its texts cannot be read without the rest of the file.
 */
export async function findTelemetry(
  context: ProcessContext,
  input: ProbeInput,
  { format, streams }: ProbeDocument,
  { textStreams, survey }: { textStreams: ReadonlySet<number>; survey: Survey },
): Promise<ReadonlySet<number>> {
  const isMovie = format.format_name.startsWith('mov');
  const suspects = streams.filter(
    (stream) => textStreams.has(stream.index) && (isMovie || isDenselyWritten(stream, survey)),
  );
  if (suspects.length === 0) return new Set();
  const cues = new Map<number, TextPacket[]>(suspects.map(({ index }) => [index, []]));
  const readLine = createTextPacketReader((packet) => {
    const found = cues.get(packet.streamIndex);
    if (found && found.length < sampledCues) found.push(packet);
  });
  await run({
    ...context,
    program: 'ffprobe',
    args: textPacketsArgs(input, { withEdits: true, sampleSeconds }),
    // the first text may be late in a file of fragments
    limits: { ...context.limits, stallSeconds: context.limits.wallSeconds },
    onLine: readLine,
  });
  return new Set([...cues].filter(([, found]) => isTelemetry(found)).map(([index]) => index));
}
