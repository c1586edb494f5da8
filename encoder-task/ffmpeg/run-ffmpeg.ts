import { JobError } from '../../shared/protocol/job-errors.ts';
import type { Log } from '../runtime/log.ts';
import { type ProcessContext, type Run, run } from '../runtime/run-process.ts';
import { ffmpegArgs } from './input-args.ts';
import { failureOf } from './output/failure.ts';

export type Progress = { frame: number; outSeconds: number };
type FfmpegRun = {
  args: string[];
  /** the source server, if the input is not a file of the job itself: its failure is the cause of ffmpeg's */
  source?: { failure: () => JobError | undefined };
  onProgress?: (progress: Progress) => void;
  readMessage?: Run['readMessage'];
};

/**
 * Runs ffmpeg. Resolves with its last progress and the tail of its messages. ffmpeg exits with 0 for a truncated source
 * too, so callers must check the output. Throws JobError for a failed run.
 */
export async function runFfmpeg(
  { folder, limits, priority, signal, log }: ProcessContext & { log: Log },
  { args, source, onProgress, readMessage }: FfmpegRun,
): Promise<Progress & { stderrTail: string }> {
  const progress: Progress = { frame: 0, outSeconds: 0 };
  const ended = await run({
    program: 'ffmpeg',
    args: [...ffmpegArgs, ...args],
    folder,
    limits,
    priority,
    signal,
    ...(readMessage ? { readMessage } : {}),
    onLine: (line) => {
      const [key, value] = line.split('=');
      if (key === 'frame') progress.frame = Number(value) || 0;
      if (key === 'out_time_us') progress.outSeconds = Number(value) / 1e6 || 0;
      if (key === 'progress') onProgress?.(progress);
    },
  });
  const sourceFailure = source?.failure();
  if (sourceFailure) throw sourceFailure;
  if (ended.stderrTail) log.debug('ffmpeg messages', { stderr: ended.stderrTail });
  if (ended.exitCode !== 0) {
    const readsSource = source !== undefined;
    throw failureOf(
      ended,
      { readsSource },
      (last) => new JobError('ENCODER_FAILED', `ffmpeg exited with ${ended.exitCode}: ${last}`),
    );
  }
  return { ...progress, stderrTail: ended.stderrTail };
}
