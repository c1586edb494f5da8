import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { EncodedTrack, Rung } from '../../shared/protocol/encode-spec.ts';
import type { EncodeVideoSpec, JobResult } from '../../shared/protocol/jobs.ts';
import { type Pass, takesTwoPasses } from '../ffmpeg/codecs/video-encoder.ts';
import { rungHdr10 } from '../ffmpeg/color.ts';
import { encodeChunkArgs, firstPassArgs } from '../ffmpeg/encode-chunk.ts';
import { videoDamage } from '../ffmpeg/output/damage-warnings.ts';
import { createMessageReader, type DecoderMessages } from '../ffmpeg/output/decoder-messages.ts';
import { nothingDecodes } from '../ffmpeg/output/failure.ts';
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

/** Encodes one chunk to every rung of its ladder and uploads the segments as they are finished. */
export async function encodeVideo(context: Context): Promise<JobResult<'encode-video'>> {
  const { chunk, source: clock } = context.spec;
  const source = await openSource(context, { untilByte: chunk.untilByte, clock });
  try {
    const { result, cpuSeconds } = await measureCpu(() => encodeWhole(context, source));
    return { ...result, frames: chunk.endFrame - chunk.startFrame, cpuSeconds };
  } finally {
    source.close();
  }
}

type Encoded = { tracks: EncodedTrack[]; warnings: string[] };
/** What one run of the encoder wrote, and what it said. */
type Once = { tracks: TrackOnDisk[]; messages: DecoderMessages };

async function encodeWhole(context: Context, source: SourceServer): Promise<Encoded> {
  const { grid, chunk, rungs } = context.spec;
  let { tracks, messages } = await encodeOnce(context, source, grid.mode === 'grid');
  const planned = chunk.endFrame - chunk.startFrame;
  const decodedFrames = grid.mode === 'passthrough' ? framesOf(tracks[0]!) : null;
  if (decodedFrames !== null && decodedFrames !== planned) {
    // packets are damaged, missing or there twice: what decodes is shown at its own time, and the frame before stands in for the rest
    context.log.warn('the source decodes to other frames than its packets promise', { planned, decodedFrames });
    ({ tracks, messages } = await encodeOnce(context, source, true));
  }
  for (const track of tracks) checkChunkTrack(track, grid, chunk);
  for (const rung of rungs) await uploadFile(context, `${rung.name}/init.mp4`);
  const encoded: EncodedTrack[] = [];
  for (const { samplesBySegment, ...track } of tracks) {
    const segments = track.segments.map((segment, n) => ({
      ...segment,
      keyFrameBytes: keyFrameBytes(samplesBySegment[n]!),
    }));
    // All chunks of a rung have the same init segment, so the facts of one hold for all.
    const facts = chunk.startFrame === 0 ? await describeTrack(context, track) : undefined;
    encoded.push({ ...track, segments, facts });
  }
  return { tracks: encoded, warnings: videoDamage(context.spec, { decodedFrames, ...messages }) };
}

/** The chunk was seen to start each segment with a key frame. */
function keyFrameBytes([first]: Sample[]): number | undefined {
  return first && first.offset + first.bytes;
}

async function encodeOnce(context: Context, source: SourceServer, asGrid: boolean): Promise<Once> {
  const { folder, spec } = context;
  const { rungs, chunk } = spec;
  for (const { name } of rungs) {
    // a segment of an earlier run would be taken for one of this
    await rm(join(folder, name), { recursive: true, force: true });
    await mkdir(join(folder, name), { recursive: true });
  }
  const cores = availableParallelism();
  const chunkRun = { ...spec, rungs: inPassOrder(rungs), sourceUrl: source.url, asGrid, cores };
  const passes = passNumber(context, 1);
  const shareOfFirstPass = passes.size > 0 ? 0.4 : 0;
  const planned = chunk.endFrame - chunk.startFrame;
  const progress = (from: number, to: number) => (done: { frame: number }) =>
    context.reportProgress(from + (to - from) * Math.min(1, done.frame / planned));

  if (passes.size > 0) {
    const args = firstPassArgs(chunkRun, passes);
    await runFfmpeg(context, { args, source, onProgress: progress(0, shareOfFirstPass) });
  }
  const args = encodeChunkArgs(chunkRun, passNumber(context, 2));
  const folders = rungs.map((rung) => rung.name);
  const messages = createMessageReader({ startsWithChunk: chunk.seekSeconds === null && chunk.startFrame === 0 });
  const encode = async (): Promise<void> => {
    const onProgress = progress(shareOfFirstPass, 1);
    const { frame } = await runFfmpeg(context, { args, source, onProgress, readMessage: messages.read });
    if (frame === 0) throw nothingDecodes();
  };
  const segmentFiles = await uploadWhileWritten(context, folders, encode, plannedSegments(spec));
  for (const rung of rungs) await addHdr10ToInit(context, rung);
  const filesOf = (name: string): string[] => segmentFiles.filter((file) => file.startsWith(`${name}/`));
  const tracks = await Promise.all(folders.map((name) => readTrackFiles(folder, name, filesOf(name))));
  return { tracks, messages: messages.counted() };
}

/** Segments are numbered through the whole video. */
function plannedSegments({ grid, chunk }: EncodeVideoSpec): (file: string) => boolean {
  const end = Math.ceil(chunk.endFrame / grid.segmentFrames);
  return (file) => Number(/(\d+)\.m4s$/.exec(file)?.[1]) < end;
}

async function addHdr10ToInit({ folder, spec }: Context, rung: Rung): Promise<void> {
  const hdr10 = rungHdr10(spec.source, rung);
  if (!hdr10) return;
  const path = join(folder, rung.name, 'init.mp4');
  await writeFile(path, addHdr10(await readFile(path), hdr10));
}

/** ffmpeg numbers the statistics by output, so rungs that take two passes come first in both. */
const inPassOrder = (rungs: Rung[]): Rung[] =>
  rungs.toSorted((a, b) => Number(takesTwoPasses(b)) - Number(takesTwoPasses(a)));

const passNumber = ({ spec }: Context, number: 1 | 2): Map<string, Pass> =>
  new Map(spec.rungs.filter(takesTwoPasses).map(({ name }) => [name, { number, statsFile: `${name}.stats` }] as const));
