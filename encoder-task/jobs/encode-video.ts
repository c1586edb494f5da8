import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { EncodedTrack, Rung } from '../../shared/protocol/encode-spec.ts';
import type { EncodeVideoSpec, JobResult } from '../../shared/protocol/jobs.ts';
import type { Pass } from '../ffmpeg/codecs/encoder-options.ts';
import { usesTwoPasses } from '../ffmpeg/codecs/video-encoder.ts';
import { rungHdr10 } from '../ffmpeg/color.ts';
import { encodeChunkArgs, firstPassArgs } from '../ffmpeg/encode-chunk.ts';
import { videoDamage } from '../ffmpeg/output/damage-warnings.ts';
import { createMessageReader, type DecoderMessages } from '../ffmpeg/output/decoder-messages.ts';
import { undecodablePart } from '../ffmpeg/output/failure.ts';
import { runFfmpeg } from '../ffmpeg/run-ffmpeg.ts';
import { addHdr10 } from '../isobmff/add-hdr10.ts';
import type { Sample } from '../isobmff/media-segment.ts';
import { readTrackFiles, type TrackOnDisk } from '../isobmff/track-on-disk.ts';
import { describeTrack } from '../probe/describe-track.ts';
import { measureCpu } from '../runtime/child-cpu.ts';
import { openSource } from '../source/open-source.ts';
import type { SourceServer } from '../source/source-server.ts';
import { uploadFile } from '../transfer/upload.ts';
import { uploadWhileWritten } from '../transfer/upload-while-written.ts';
import { checkChunkTrack, framesOf } from './check-chunk.ts';
import type { JobContext } from './job-context.ts';

type Context = JobContext<EncodeVideoSpec>;
type Result = JobResult<'encode-video'>;
/** The files of one run of the encoder, and the counts from its messages. */
type Encoded = { tracks: TrackOnDisk[]; messages: DecoderMessages };

/**
 * Encodes one chunk to every rung of its ladder. Segments are uploaded while the encoder runs, the rest after the
 * output has been checked.
 */
export async function encodeVideo(context: Context): Promise<Result> {
  const { chunk, grid, source: clock } = context.spec;
  const source = await openSource(context, { untilByte: chunk.untilByte, clock });
  try {
    const { result, cpuSeconds } = await measureCpu(async () => {
      const { tracks, warnings } = await encodeChunk(context, source);
      for (const track of tracks) checkChunkTrack(track, grid, chunk);
      return { tracks: await publishTracks(context, tracks), warnings };
    });
    return { ...result, frames: chunk.endFrame - chunk.startFrame, cpuSeconds };
  } finally {
    source.close();
  }
}

/**
 * Encodes the chunk. When frames are missing, damaged or repeated in the source, encodes it again with frames selected
 * by time.
 */
async function encodeChunk(
  context: Context,
  source: SourceServer,
): Promise<{ tracks: TrackOnDisk[]; warnings: string[] }> {
  const { grid, chunk } = context.spec;
  let encoded = await runEncoder(context, source, grid.mode === 'grid');
  const planned = chunk.endFrame - chunk.startFrame;
  const decodedFrames = grid.mode === 'passthrough' ? framesOf(encoded.tracks[0]!) : null;
  if (decodedFrames !== null && decodedFrames !== planned) {
    // decoded frames are now placed by their times, and the previous frame fills each gap
    context.log.warn('the number of decoded frames differs from the packets', { planned, decodedFrames });
    encoded = await runEncoder(context, source, true);
  }
  return { tracks: encoded.tracks, warnings: videoDamage(context.spec, { decodedFrames, ...encoded.messages }) };
}

/** Runs ffmpeg over the chunk, twice when a rung has two passes. `asGrid` selects frames by time. */
async function runEncoder(context: Context, source: SourceServer, asGrid: boolean): Promise<Encoded> {
  const { folder, spec } = context;
  const { rungs, chunk } = spec;
  const rungFolders = rungs.map((rung) => rung.name);
  for (const name of rungFolders) await emptyFolder(join(folder, name));
  const cores = availableParallelism();
  const chunkRun = { ...spec, rungs: twoPassFirst(rungs), sourceUrl: source.url, asGrid, cores };
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
  const messages = createMessageReader({ startsWithChunk: chunk.seekSeconds === null && chunk.startFrame === 0 });
  const encode = async (): Promise<void> => {
    const onProgress = progress(firstPassShare, 1);
    const { frame } = await runFfmpeg(context, { args, source, onProgress, readMessage: messages.read });
    if (frame === 0) throw undecodablePart();
  };
  const segmentFiles = await uploadWhileWritten(context, rungFolders, encode, isPlannedSegment(spec));
  for (const rung of rungs) await addHdr10ToInit(context, rung);
  const filesOf = (name: string): string[] => segmentFiles.filter((file) => file.startsWith(`${name}/`));
  const tracks = await Promise.all(rungFolders.map((name) => readTrackFiles(folder, name, filesOf(name))));
  return { tracks, messages: messages.counts() };
}

/** Uploads the init segments and describes the tracks, whose segments are already uploaded. */
async function publishTracks(context: Context, tracks: TrackOnDisk[]): Promise<EncodedTrack[]> {
  const published: EncodedTrack[] = [];
  for (const { samplesBySegment, ...track } of tracks) {
    await uploadFile(context, track.init.file);
    const segments = track.segments.map((segment, n) => ({
      ...segment,
      keyFrameBytes: keyFrameBytes(samplesBySegment[n]!),
    }));
    // all chunks of a rung have the same init segment, so the facts of one chunk are sufficient
    const facts = context.spec.chunk.startFrame === 0 ? await describeTrack(context, track) : undefined;
    published.push({ ...track, segments, facts });
  }
  return published;
}

/** Bytes from the start of a segment to the end of its first frame, which is a key frame. */
function keyFrameBytes([first]: Sample[]): number | undefined {
  return first && first.offset + first.bytes;
}

/** A segment of an earlier run would be taken for one of this run. */
async function emptyFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
  await mkdir(path, { recursive: true });
}

/** Segments are numbered through the whole video. A source with extra frames can make more than the chunk has. */
function isPlannedSegment({ grid, chunk }: EncodeVideoSpec): (file: string) => boolean {
  const end = Math.ceil(chunk.endFrame / grid.segmentFrames);
  return (file) => Number(/(\d+)\.m4s$/.exec(file)?.[1]) < end;
}

async function addHdr10ToInit({ folder, spec }: Context, rung: Rung): Promise<void> {
  const hdr10 = rungHdr10(spec.source, rung);
  if (!hdr10) return;
  const path = join(folder, rung.name, 'init.mp4');
  await writeFile(path, addHdr10(await readFile(path), hdr10));
}

/** ffmpeg numbers the statistics by output, so the rungs with two passes come first in both passes. */
const twoPassFirst = (rungs: Rung[]): Rung[] =>
  rungs.toSorted((a, b) => Number(usesTwoPasses(b)) - Number(usesTwoPasses(a)));

const passesOf = ({ spec }: Context, number: 1 | 2): Map<string, Pass> =>
  new Map(spec.rungs.filter(usesTwoPasses).map(({ name }) => [name, { number, statsFile: `${name}.stats` }] as const));
