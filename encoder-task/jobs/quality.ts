import { readFile, rm, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { toNumber } from '../../shared/media/rational.ts';
import type { Chunk, Rung } from '../../shared/protocol/encode-spec.ts';
import { type JobResult, maxXpsnrDb, type QualitySpec, type QualityTrial } from '../../shared/protocol/jobs.ts';
import { crfStep } from '../ffmpeg/codecs/video-encoder.ts';
import { knownEncoders } from '../ffmpeg/encoder-versions.ts';
import { runFfmpeg } from '../ffmpeg/run-ffmpeg.ts';
import {
  decodedFile,
  decodeSampleArgs,
  encodedFile,
  encodeSampleArgs,
  referenceFile,
  type SampleRun,
} from '../ffmpeg/sample-args.ts';
import { needBox } from '../isobmff/boxes.ts';
import { compareFrames } from '../quality/compare-frames.ts';
import { measureCpu } from '../runtime/child-cpu.ts';
import { openSource } from '../source/open-source.ts';
import type { JobContext } from './job-context.ts';
import { writeWatermark } from './uploaded-image.ts';

type Context = JobContext<QualitySpec>;
type Point = JobResult<'quality'>['points'][number];

/** Encodes samples of the source at two constant qualities each, and measures their size and quality. */
export async function measureQuality(context: Context): Promise<JobResult<'quality'>> {
  const points: Point[] = [];
  const before = process.cpuUsage();
  const { cpuSeconds } = await measureCpu(async () => {
    const { source, samples, trials } = context.spec;
    await writeWatermark(context, source);
    const measureAll = async (encodes: Trial[], progress: number): Promise<void> => {
      for (const [index, sample] of samples.entries()) {
        points.push(...(await measureSample(context, sample, encodes)));
        context.reportProgress(progress + (index + 1) / samples.length / 2);
      }
    };
    await measureAll(
      trials.map(({ rung, firstCrf }) => ({ rung, crfs: [firstCrf] })),
      0,
    );
    await measureAll(
      trials.map((trial) => ({ rung: trial.rung, crfs: [secondCrf(trial, context.spec, points)] })),
      0.5,
    );
  });
  // Frames are compared in this process.
  const { user, system } = process.cpuUsage(before);
  const [first] = context.spec.trials;
  return {
    points,
    ...(first && { crfStep: crfStep(first.rung.codec, await knownEncoders()) }),
    cpuSeconds: Math.round((cpuSeconds + (user + system) / 1e6) * 100) / 100,
  };
}

type Trial = SampleRun['trials'][number];

function secondCrf({ rung, ...trial }: QualityTrial, { grid }: QualitySpec, points: readonly Point[]): number {
  const first = points.filter((point) => point.rung === rung.name);
  const sum = (measure: (point: Point) => number) => first.reduce((total, point) => total + measure(point), 0);
  const frames = sum((point) => point.frames);
  const bitrateBps = (8 * sum(({ bytes }) => bytes) * toNumber(grid.frameRate)) / frames;
  const xpsnrDb = sum((point) => point.frames * point.xpsnrDb) / frames;
  return bitrateBps > trial.capBps || xpsnrDb > trial.targetXpsnrDb ? trial.coarserCrf : trial.finerCrf;
}

async function measureSample(context: Context, chunk: Chunk, trials: Trial[]): Promise<Point[]> {
  const { source, grid } = context.spec;
  const server = await openSource(context, { untilByte: chunk.untilByte, clock: source });
  try {
    const [cores, encoders] = [availableParallelism(), await knownEncoders()];
    const args = encodeSampleArgs({ source, grid, chunk, sourceUrl: server.url, trials, cores, encoders });
    await runFfmpeg(context, { args, source: server });
  } finally {
    server.close();
  }
  if (await hasNoFrames(context)) return [];
  await runFfmpeg(context, { args: decodeSampleArgs(trials) });
  const points: Point[] = [];
  for (const [trial, { rung, crfs }] of trials.entries()) {
    for (const crf of crfs) points.push(...(await measureEncode(context, chunk, { trial, rung, crf })));
    await rm(join(context.folder, referenceFile(trial)));
  }
  return points;
}

/**
 * A sample has none in a damaged part of the source. Its encodes are then files without a track, which ffmpeg does not
 * decode.
 */
const hasNoFrames = async ({ folder }: Context): Promise<boolean> =>
  (await stat(join(folder, referenceFile(0)))).size === 0;

/** Nothing where the encoder wrote no frames. */
async function measureEncode(
  { folder, spec }: Context,
  { index }: Chunk,
  { trial, rung, crf }: { trial: number; rung: Rung; crf: number },
): Promise<Point[]> {
  const [encoded, decoded] = [encodedFile(trial, crf), decodedFile(trial, crf)].map((file) => join(folder, file));
  const { width, height } = rung.pad ?? rung;
  const xpsnr = await compareFrames(
    { reference: join(folder, referenceFile(trial)), encoded: decoded! },
    {
      width,
      height,
      framesPerSecond: toNumber(spec.grid.frameRate),
      bitDepth: rung.pixelFormat === 'yuv420p10le' ? 10 : 8,
    },
  );
  const [keyFrameBytes = 0, ...others] = frameBytes(await readFile(encoded!));
  await Promise.all([rm(encoded!), rm(decoded!)]);
  const frames = xpsnr.frames();
  if (frames === 0 || keyFrameBytes === 0) return [];
  const bytes = others.reduce((sum, one) => sum + one, keyFrameBytes);
  return [{ rung: rung.name, crf, sample: index, xpsnrDb: xpsnr.decibels(maxXpsnrDb), bytes, keyFrameBytes, frames }];
}

/** The size of each frame in an MP4, in the order in which they are decoded. */
function frameBytes(file: Buffer): number[] {
  const sizes = needBox(file, 'moov', 'trak', 'mdia', 'minf', 'stbl', 'stsz');
  const [same, count] = [sizes.readUInt32BE(4), sizes.readUInt32BE(8)];
  return Array.from({ length: count }, (_, index) => same || sizes.readUInt32BE(12 + 4 * index));
}
