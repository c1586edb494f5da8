import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { EncodedTrack } from '../../shared/encode.ts';
import { JobError } from '../../shared/job-errors.ts';
import type { EncodeVideoSpec, JobResult } from '../../shared/jobs.ts';
import { measureCpu } from '../ffmpeg/child-cpu.ts';
import { encodeChunkArgs, firstPassArgs } from '../ffmpeg/encode-chunk.ts';
import { runFfmpeg } from '../ffmpeg/run-ffmpeg.ts';
import { type Pass, takesTwoPasses } from '../ffmpeg/video-encoder.ts';
import type { JobContext } from '../job-context.ts';
import { checkChunkTrack, framesOf } from '../media/check-chunk.ts';
import { readTrack, type TrackOnDisk } from '../media/read-track.ts';
import { inputUrl } from '../store/input-url.ts';
import { type SourceServer, serveSource } from '../store/source-server.ts';
import { uploadFile } from '../store/upload.ts';
import { uploadWhileWritten } from '../store/upload-while-written.ts';

type Context = JobContext<EncodeVideoSpec>;

/** Encodes one chunk to every rung of its ladder and uploads the segments as they are finished. */
export async function encodeVideo(context: Context): Promise<JobResult<'encode-video'>> {
  const { chunk } = context.spec;
  const source = await serveSource(inputUrl(context, 'source'), context.signal);
  try {
    const { result: tracks, cpuSeconds } = await measureCpu(() => encodeWhole(context, source));
    return { tracks, frames: chunk.endFrame - chunk.startFrame, cpuSeconds };
  } finally {
    source.close();
  }
}

async function encodeWhole(context: Context, source: SourceServer): Promise<EncodedTrack[]> {
  const { grid, chunk, rungs } = context.spec;
  let tracks = await encodeOnce(context, source, grid.mode === 'grid');
  const planned = chunk.endFrame - chunk.startFrame;
  const decoded = Math.min(...tracks.map(framesOf));
  if (decoded < planned && grid.mode === 'passthrough') {
    // packets of the source are damaged or missing: what decodes is shown at its own time, and the frame before stands in for the rest
    context.log.warn('the source lacks frames', { planned, decoded });
    tracks = await encodeOnce(context, source, true);
  }
  for (const track of tracks) checkChunkTrack(track, grid, chunk);
  for (const rung of rungs) await uploadFile(context, `${rung.name}/init.mp4`);
  return tracks.map(({ samplesBySegment: _, ...track }) => track);
}

async function encodeOnce(context: Context, source: SourceServer, asGrid: boolean): Promise<TrackOnDisk[]> {
  const { folder, spec } = context;
  const { rungs, chunk } = spec;
  for (const rung of rungs) await mkdir(join(folder, rung.name), { recursive: true });
  const chunkRun = { ...spec, sourceUrl: source.url, asGrid };
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
  const segmentFiles = await uploadWhileWritten(context, folders, () =>
    runFfmpeg(context, { args, source, onProgress: progress(shareOfFirstPass, 1) }),
  );
  return Promise.all(
    folders.map((name) => {
      const files = segmentFiles.filter((file) => file.startsWith(`${name}/`));
      if (files.length === 0) {
        throw new JobError('INPUT_TRUNCATED', 'A part of the video cannot be decoded. The file may be incomplete.');
      }
      return readTrack(folder, name, files);
    }),
  );
}

const passNumber = ({ folder, spec }: Context, number: 1 | 2): Map<string, Pass> =>
  new Map(
    spec.rungs
      .filter(takesTwoPasses)
      .map(({ name }) => [name, { number, statsFile: join(folder, `${name}.stats`) }] as const),
  );
