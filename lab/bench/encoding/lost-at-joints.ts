import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runOrThrow } from '../../../test/journey/support/ffmpeg.ts';

/** Frames on each side of a joint in which it could be visible. */
const framesAround = 30;

type Files = { chunked: string; whole: string; source: string; size: { width: number; height: number } };

/**
 * The SSIM that chunked encoding loses compared with a single encode, for each frame of the second before and after
 * each joint. `frames` is the frame count of both files.
 */
export async function lostAtJoints(
  { chunked, whole, source, size }: Files,
  joints: number[],
  folder: string,
): Promise<{ lost: number[]; frames: [number, number] }> {
  const [ours, theirs] = await ssim([chunked, whole], source, size, folder);
  const lost = joints.flatMap((joint) =>
    Array.from(
      { length: 2 * framesAround },
      (_, n) => theirs[joint - framesAround + n]! - ours[joint - framesAround + n]!,
    ),
  );
  return { lost, frames: [ours.length, theirs.length] };
}

export const meanOf = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** SSIM of each frame of both files to the source frame with the same number. The source is decoded once. */
async function ssim(
  files: [string, string],
  source: string,
  { width, height }: Files['size'],
  folder: string,
): Promise<[number[], number[]]> {
  const numbered = 'settb=1/1000,setpts=N';
  const listOf = (n: number): string => join(folder, `ssim-${n}.log`);
  const graph = [
    `[2:v]scale=${width}:${height},format=yuv420p,${numbered},split[source0][source1]`,
    ...files.map((_, n) => `[${n}:v]${numbered}[file${n}];[file${n}][source${n}]ssim=stats_file=${listOf(n)}[out${n}]`),
  ].join(';');
  await runOrThrow('ffmpeg', [
    ...[...files, source].flatMap((file) => ['-i', file]),
    ...['-filter_complex', graph, '-map', '[out0]', '-map', '[out1]', '-f', 'null', '-'],
  ]);
  const [ours, theirs] = await Promise.all(
    [0, 1].map(async (n) =>
      [...(await readFile(listOf(n), 'utf8')).matchAll(/All:([\d.]+)/g)].map(([, value]) => Number(value)),
    ),
  );
  return [ours!, theirs!];
}
