import type { Chunk, FrameGrid, Rung, VideoSource } from '../../shared/protocol/encode-spec.ts';
import type { Encoders } from '../../shared/protocol/jobs.ts';
import { colorTagArgs, rungColor } from './color.ts';
import { encoderArgs, framesArgs, sourceArgs } from './encode-chunk.ts';
import { videoGraph } from './video-graph.ts';

/** A sample of the source, and what it is encoded to. Encodes of one rung follow each other. */
export type SampleRun = {
  source: VideoSource;
  grid: FrameGrid;
  chunk: Chunk;
  sourceUrl: string;
  trials: { rung: Rung; crfs: number[] }[];
  cores: number;
  encoders: Encoders;
};

/** Names of the files of a sample in the working folder. */
export const referenceFile = (trial: number): string => `reference-${trial}.raw`;
export const encodedFile = (trial: number, crf: number): string => `encoded-${trial}-${crf}.mp4`;
export const decodedFile = (trial: number, crf: number): string => `decoded-${trial}-${crf}.raw`;

/** The luma samples as they are in the frame: a conversion to a format without chroma could change their range. */
const luma = 'extractplanes=y';
const rawArgs = ['-fps_mode', 'passthrough', '-f', 'rawvideo'];

/**
 * argv that decodes a sample once, writes its luma frames in the size of each trial, and encodes them with each of its
 * CRFs, with the arguments of chunks.
 */
export function encodeSampleArgs({ source, grid, chunk, sourceUrl, trials, cores, encoders }: SampleRun): string[] {
  const encodes = trials.flatMap(({ rung, crfs }, trial) =>
    crfs.map((crf) => ({ trial, crf, rung: withCrf(rung, crf) })),
  );
  const graph = videoGraph({ source, grid, chunk, rungs: trials.map(({ rung }) => rung) }, grid.mode === 'grid');
  const branches = trials.map(
    ({ crfs }, trial) =>
      `[v${trial}]split=${crfs.length + 1}[r${trial}]${crfs.map((crf) => label(trial, crf)).join('')};` +
      `[r${trial}]${luma}[y${trial}]`,
  );
  return [
    ...sourceArgs({ source, chunk, sourceUrl }),
    ...['-filter_complex', [graph, ...branches].join(';')],
    ...trials.flatMap((_, trial) => ['-map', `[y${trial}]`, ...rawArgs, referenceFile(trial)]),
    ...encodes.flatMap(({ trial, crf, rung }) => [
      ...framesArgs(label(trial, crf), rung, grid),
      ...encoderArgs(rung, { source, grid, cores, encoders, rungs: encodes.map((one) => one.rung) }, null),
      ...colorTagArgs(rungColor(source, rung)),
      ...['-f', 'mp4', encodedFile(trial, crf)],
    ]),
  ];
}

/** argv that decodes the encodes of a sample to luma frames. */
export const decodeSampleArgs = (trials: SampleRun['trials']): string[] => {
  const encodes = trials.flatMap(({ crfs }, trial) => crfs.map((crf) => ({ trial, crf })));
  return [
    ...encodes.flatMap(({ trial, crf }) => ['-ignore_editlist', '1', '-i', encodedFile(trial, crf)]),
    ...encodes.flatMap(({ trial, crf }, input) => [
      ...['-map', `${input}:v`, '-vf', luma, ...rawArgs, decodedFile(trial, crf)],
    ]),
  ];
};

const label = (trial: number, crf: number): string => `[t${trial}q${crf}]`;

/** Without a maximum bitrate, which would hide what the quality needs. */
const withCrf = (rung: Rung, crf: number): Rung => ({
  ...rung,
  rate: { mode: 'crf', crf, maxBitrateBps: null, bufferBits: null },
});
