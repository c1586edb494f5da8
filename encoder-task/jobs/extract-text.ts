import { serializeWebVtt } from '../../shared/captions/web-vtt.ts';
import type { JobResult, TextSpec } from '../../shared/protocol/jobs.ts';
import { listChaptersArgs, type ProbeInput, textPacketsArgs } from '../ffmpeg/ffprobe-args.ts';
import { runFfprobe } from '../ffmpeg/run-ffprobe.ts';
import { measureCpu } from '../runtime/child-cpu.ts';
import { run } from '../runtime/run-process.ts';
import { openSource, type Source } from '../source/open-source.ts';
import { readChapters } from '../text/chapters.ts';
import { type Collected, createCueCollector } from '../text/cue-collector.ts';
import { packetText } from '../text/packet-text.ts';
import { presentedTimes } from '../text/presented-times.ts';
import { isTelemetry } from '../text/telemetry.ts';
import { createTextPacketReader, type TextPacket } from '../text/text-packets.ts';
import { uploadBytes } from '../transfer/upload.ts';
import type { JobContext } from './job-context.ts';

type Context = JobContext<TextSpec>;
type Track = TextSpec['tracks'][number];
type Found = { file: string; collected: Collected };

/** Converts the text tracks and the chapters of a source to WebVTT. A track that cannot be converted fails alone. */
export async function extractText(context: Context): Promise<JobResult<'text'>> {
  const { result, cpuSeconds } = await measureCpu(async () => [
    ...(await readTracks(context)),
    ...(await findChapters(context)),
  ]);
  return { ...(await upload(context, result)), cpuSeconds };
}

async function readTracks(context: Context): Promise<Found[]> {
  const { tracks } = context.spec;
  if (tracks.length === 0) return [];
  // Every text is a key frame. The samples of all other tracks are left out.
  const decodes = { streamIndexes: tracks.map(({ streamIndex }) => streamIndex), keyFramesOnly: true };
  const source = await openSource(context, { decodes, clock: context.spec });
  try {
    return await readPackets(context, source);
  } finally {
    source.close();
  }
}

async function readPackets(context: Context, source: Source): Promise<Found[]> {
  const { tracks, originSeconds, durationSeconds, part } = context.spec;
  const collectors = new Map(
    tracks.map((track): [number, Collector] => [
      track.streamIndex,
      { track, first: [], ...createCueCollector(context.spec) },
    ]),
  );
  const movie = source.movie();
  const enough = new AbortController();
  let furthestSeconds = 0;
  const onPacket = (packet: TextPacket): void => {
    const collector = collectors.get(packet.streamIndex);
    if (!collector) return;
    if (collector.first.length < sampledCues) collector.first.push(packet);
    const edited = movie?.tracks[packet.streamIndex];
    addPacket(packet, collector, edited ? presentedTimes(edited, packet) : [packet]);
    furthestSeconds = Math.max(furthestSeconds, packet.startSeconds - originSeconds);
    // Without an index, times are those of the source. Texts of other tracks may come a little later in the file.
    if (part && !movie && packet.startSeconds > part.endSeconds + interleaveSeconds) enough.abort();
    if (collector.hasFailed() && [...collectors.values()].every(({ hasFailed }) => hasFailed())) enough.abort();
  };
  const readLine = createTextPacketReader(onPacket);
  try {
    await run({
      ...context,
      program: 'ffprobe',
      args: textPacketsArgs(inputOf(context, source), { withEdits: !movie }),
      signal: AbortSignal.any([context.signal, enough.signal]),
      // Minutes may pass between two texts; the time limit of the job ends a process that hangs.
      limits: { ...context.limits, stallSeconds: context.limits.wallSeconds },
      onLine: (line) => {
        readLine(line);
        context.reportProgress(Math.min(1, furthestSeconds / durationSeconds));
      },
    });
  } catch (error) {
    if (context.signal.aborted || !enough.signal.aborted) throw error;
  }
  // A failed run is not an error: the texts before the damage can be used.
  const sourceFailure = source.failure();
  if (sourceFailure) throw sourceFailure;
  return [...collectors.values()].map(({ track: { file }, first, finish }) => ({
    file,
    collected: isTelemetry(first) ? { error: telemetryError } : finish(),
  }));
}

const interleaveSeconds = 30;

const inputOf = ({ spec: { probeBytes } }: Context, { url }: Source): ProbeInput => ({ url, probeBytes });

type Collector = ReturnType<typeof createCueCollector> & { track: Track; first: TextPacket[] };

/** The probe reads the first texts only where a camera may have written them. Positions must never be published. */
const sampledCues = 50;
const telemetryError = 'The text track has data of the camera. It does not become a caption.';

function addPacket(
  { bytes, settings }: TextPacket,
  { track, add, addDamaged }: Collector,
  times: Pick<TextPacket, 'startSeconds' | 'durationSeconds'>[],
): void {
  try {
    const text = packetText(track.codec, bytes);
    for (const { startSeconds, durationSeconds } of times) add({ startSeconds, durationSeconds, text, settings });
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    addDamaged();
  }
}

async function findChapters(context: Context): Promise<Found[]> {
  const { chapters } = context.spec;
  if (!chapters) return [];
  const source = await openSource(context, { clock: context.spec });
  try {
    const { document } = await runFfprobe(context, listChaptersArgs(inputOf(context, source)));
    const sourceFailure = source.failure();
    if (sourceFailure) throw sourceFailure;
    const { add, finish } = createCueCollector(context.spec);
    for (const chapter of readChapters(document)) add(chapter);
    return [{ file: chapters.file, collected: finish() }];
  } finally {
    source.close();
  }
}

async function upload(context: Context, found: Found[]): Promise<Omit<JobResult<'text'>, 'cpuSeconds'>> {
  const files: JobResult<'text'>['files'] = [];
  const failures: JobResult<'text'>['failures'] = [];
  for (const { file, collected } of found) {
    if ('error' in collected) failures.push({ file, error: collected.error });
    else {
      const bytes = new TextEncoder().encode(serializeWebVtt(collected.cues));
      await uploadBytes(context, file, bytes);
      files.push({ file, bytes: bytes.length, cueCount: collected.cues.length });
    }
  }
  return { files, failures };
}
