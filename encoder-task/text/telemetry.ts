import type { ProbeDocument } from '../../shared/protocol/probe-document.ts';
import { type ProbeInput, textPacketsArgs } from '../ffmpeg/ffprobe-args.ts';
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

/**
 * The indexes of those text tracks of an MP4 or MOV that hold data of a camera, often its position: neither headers nor
 * flags distinguish them from subtitles. Cameras write no other containers, and in those, texts cannot be read without
 * the rest of the file. If such a track was copied into one, the job that reads it refuses it.
 */
export async function findTelemetry(
  context: ProcessContext,
  input: ProbeInput,
  { format }: ProbeDocument,
  textStreams: ReadonlySet<number>,
): Promise<ReadonlySet<number>> {
  if (textStreams.size === 0 || !format.format_name.startsWith('mov')) return new Set();
  const cues = new Map<number, TextPacket[]>([...textStreams].map((index) => [index, []]));
  const readLine = createTextPacketReader((packet) => {
    const found = cues.get(packet.streamIndex);
    if (found && found.length < sampledCues) found.push(packet);
  });
  await run({
    ...{ ...context, program: 'ffprobe', args: textPacketsArgs(input, { withEdits: true, sampleSeconds }) },
    // the first text may be late in a file of fragments
    limits: { ...context.limits, stallSeconds: context.limits.wallSeconds },
    onLine: readLine,
  });
  return new Set([...textStreams].filter((index) => isTelemetry(cues.get(index)!)));
}
