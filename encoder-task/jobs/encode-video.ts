import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { EncodedTrack, Rung } from '../../shared/protocol/encode-spec.ts';
import type { EncodeVideoSpec, JobResult } from '../../shared/protocol/jobs.ts';
import { repeatedSegments } from '../../shared/protocol/repeated-segments.ts';
import type { EncoderRun } from '../../shared/protocol/track-files.ts';
import type { Pass } from '../ffmpeg/codecs/encoder-options.ts';
import { usesTwoPasses } from '../ffmpeg/codecs/video-encoder.ts';
import { rungHdr10 } from '../ffmpeg/color.ts';
import { encodeChunkArgs, firstPassArgs } from '../ffmpeg/encode-chunk.ts';
import { knownEncoders } from '../ffmpeg/encoder-versions.ts';
import { videoDamage } from '../ffmpeg/output/damage-warnings.ts';
import { createMessageReader, type DecoderMessages } from '../ffmpeg/output/decoder-messages.ts';
import { undecodablePart } from '../ffmpeg/output/failure.ts';
import { runFfmpeg } from '../ffmpeg/run-ffmpeg.ts';
import { addHdr10, addSpherical, keepsProjection } from '../isobmff/add-metadata.ts';
import type { Sample } from '../isobmff/media-segment.ts';
import type { TrackOnDisk } from '../isobmff/track-on-disk.ts';
import { measureCpu } from '../runtime/child-cpu.ts';
import { openSource } from '../source/open-source.ts';
import type { SourceServer } from '../source/source-server.ts';
import { checkChunkTrack, framesOf } from './check-chunk.ts';
import { encodeTracks } from './encode-tracks.ts';
import type { JobContext } from './job-context.ts';
import { repeatSegment } from './repeat-segment.ts';
import { tryCopy } from './try-copy.ts';
import { writeWatermark } from './uploaded-image.ts';

type Context = JobContext<EncodeVideoSpec>;
type Result = JobResult<'encode-video'>;
/** The files of one run of the encoder, and the counts from its messages. */
type Encoded = { tracks: TrackOnDisk[]; messages: DecoderMessages };

/**
 * Encodes one chunk to every rung of its ladder, or copies it, where that is planned and possible. Its files are
 * uploaded while the encoder runs, and the output is checked at the end.
 */
export async function encodeVideo(context: Context): Promise<Result> {
  const { chunk, grid, source: clock } = context.spec;
  const source = await openSource(context, { untilByte: chunk.untilByte, clock });
  try {
    const { result, cpuSeconds } = await measureCpu(async () => {
      const copied = await tryCopy(context, source);
      if (copied?.track) return { tracks: [copied.track], warnings: [], ownCpuSeconds: copied.ownCpuSeconds };
      await writeWatermark(context, context.spec.source);
      const { tracks, warnings } = await encodeChunk(context, source, copied !== undefined);
      for (const track of tracks) checkChunkTrack(track, grid, chunk);
      return {
        tracks: tracks.map(resultTrack),
        warnings: [...(copied?.warnings ?? []), ...warnings],
        ownCpuSeconds: copied?.ownCpuSeconds ?? 0,
      };
    });
    const { tracks, warnings, ownCpuSeconds } = result;
    return { tracks, warnings, frames: chunk.endFrame - chunk.startFrame, cpuSeconds: cpuSeconds + ownCpuSeconds };
  } finally {
    source.close();
  }
}

/**
 * Encodes the chunk. When frames are missing, damaged or repeated in the source, encodes it again with frames selected
 * by time. `isRepeated`: an attempt to copy it has used the file names of the first run.
 */
async function encodeChunk(
  context: Context,
  source: SourceServer,
  isRepeated: boolean,
): Promise<{ tracks: TrackOnDisk[]; warnings: string[] }> {
  const { grid, chunk } = context.spec;
  if (isRepeated) {
    const { tracks, messages } = await runEncoder(context, source, { run: 2, asGrid: true });
    return { tracks, warnings: videoDamage(context.spec, { decodedFrames: null, ...messages }) };
  }
  const frames = chunk.endFrame - chunk.startFrame;
  const { pictures: planned = frames } = chunk;
  // A chunk without pictures repeats the one before, or the first one, whichever can be decoded.
  const isCounted = grid.mode === 'passthrough' && planned > 0;
  let encoded = await runEncoder(context, source, { run: 1, asGrid: !isCounted });
  const decodedFrames = isCounted ? framesOf(encoded.tracks[0]!) - (frames - planned) : null;
  if (decodedFrames !== null && decodedFrames !== planned) {
    // decoded frames are now placed by their times, and the previous frame fills each gap
    context.log.warn('the number of decoded frames differs from the packets', { planned, decodedFrames });
    encoded = await runEncoder(context, source, { run: 2, asGrid: true });
  }
  return { tracks: encoded.tracks, warnings: videoDamage(context.spec, { decodedFrames, ...encoded.messages }) };
}

/** Runs ffmpeg over the chunk, twice when a rung has two passes. `asGrid` selects frames by time. */
async function runEncoder(
  context: Context,
  source: SourceServer,
  { run, asGrid }: { run: EncoderRun; asGrid: boolean },
): Promise<Encoded> {
  const { spec } = context;
  const { rungs, grid } = spec;
  const [cores, encoders] = [availableParallelism(), await knownEncoders()];
  const repeats = repeatedSegments(grid, spec.chunk);
  const chunk = { ...spec.chunk, endFrame: spec.chunk.endFrame - repeats * grid.segmentFrames };
  const chunkRun = {
    ...spec,
    chunk,
    rungs: twoPassFirst(rungs),
    sourceUrl: source.url,
    asGrid,
    run,
    cores,
    encoders,
    isUnplaced: repeats > 0,
  };
  const names = rungs.map((rung) => rung.name);
  const firstPasses = passesOf(context, 1);
  const firstPassShare = firstPasses.size > 0 ? 0.4 : 0;
  const planned = chunk.endFrame - chunk.startFrame;
  const progress = (from: number, to: number) => (done: { frame: number }) =>
    context.reportProgress(from + (to - from) * Math.min(1, done.frame / planned));

  if (firstPasses.size > 0) {
    const args = firstPassArgs(chunkRun, firstPasses);
    await runFfmpeg(context, { args, source, onProgress: progress(0, firstPassShare) });
  }
  const args = encodeChunkArgs(chunkRun, passesOf(context, 2));
  const isAtBeginning = chunk.seekSeconds === null && chunk.startFrame === 0 && !spec.source.part?.firstFrame;
  const messages = createMessageReader({ startsWithChunk: isAtBeginning });
  const encode = async (signal: AbortSignal): Promise<void> => {
    const onProgress = progress(firstPassShare, 1);
    const { frame } = await runFfmpeg({ ...context, signal }, { args, source, onProgress, readMessage: messages.read });
    if (frame === 0) throw undecodablePart();
    if (repeats === 0) return;
    const position = { run, number: chunk.startFrame / grid.segmentFrames, count: repeats };
    const segmentTicks = grid.segmentFrames * grid.ticksPerFrame;
    for (const name of names) await repeatSegment(join(context.folder, name), { ...position, segmentTicks });
  };
  // all chunks of a rung have the same init segment, so the properties of one chunk are sufficient
  const areDescribed = chunk.startFrame === 0;
  const tracks = await encodeTracks(
    context,
    { names, run, segments: plannedSegments(spec), changeInit: withMetadata(spec), areDescribed, isReported: true },
    encode,
  );
  return { tracks, messages: messages.counts() };
}

/** The track of the result, without the samples, but with the sizes of its key frames. */
const resultTrack = ({ samplesBySegment, segments, ...track }: TrackOnDisk): EncodedTrack => ({
  ...track,
  segments: segments.map((segment, n) => ({ ...segment, keyFrameBytes: keyFrameBytes(samplesBySegment[n]!) })),
});

/** Bytes from the start of a segment to the end of its first frame, which is a key frame. */
function keyFrameBytes([first]: Sample[]): number | undefined {
  return first && first.offset + first.bytes;
}

/** Segments are numbered through the whole video. A source with extra frames can make more than the chunk has. */
const plannedSegments = ({ grid, chunk }: EncodeVideoSpec): { from: number; to: number } => ({
  from: Math.floor(chunk.startFrame / grid.segmentFrames),
  to: Math.ceil(chunk.endFrame / grid.segmentFrames),
});

/** What ffmpeg does not write into an init segment. */
const withMetadata =
  ({ source, rungs }: EncodeVideoSpec) =>
  (name: string, init: Buffer): Buffer => {
    const rung = rungs.find((each) => each.name === name);
    const hdr10 = rung && rungHdr10(source, rung);
    const described = hdr10 ? addHdr10(init, hdr10) : init;
    return source.spherical && rung && keepsProjection(source, rung)
      ? addSpherical(described, source.spherical)
      : described;
  };

/** ffmpeg numbers the statistics by output, so the rungs with two passes come first in both passes. */
const twoPassFirst = (rungs: Rung[]): Rung[] =>
  rungs.toSorted((a, b) => Number(usesTwoPasses(b)) - Number(usesTwoPasses(a)));

const passesOf = ({ spec }: Context, number: 1 | 2): Map<string, Pass> =>
  new Map(spec.rungs.filter(usesTwoPasses).map(({ name }) => [name, { number, statsFile: `${name}.stats` }] as const));
