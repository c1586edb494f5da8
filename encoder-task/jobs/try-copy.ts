import { copyObstacles } from '../../shared/protocol/copy-properties.ts';
import type { EncodedTrack, Rung } from '../../shared/protocol/encode-spec.ts';
import { JobError } from '../../shared/protocol/job-errors.ts';
import type { EncodeVideoSpec } from '../../shared/protocol/jobs.ts';
import { NotCopyable } from '../copy/not-copyable.ts';
import type { Source } from '../source/open-source.ts';
import { copyTrack } from './copy-track.ts';
import type { JobContext } from './job-context.ts';

/**
 * Without a track, the samples are not as declared, and the rung has to be encoded. Other than an encode, a copy is the
 * work of this process, `ownCpuSeconds`.
 */
type Tried = { track?: EncodedTrack; warnings: string[]; ownCpuSeconds: number };

/** Packages the samples of the source as the segments of a rung, if that is planned. */
export async function tryCopy(context: JobContext<EncodeVideoSpec>, source: Source): Promise<Tried | undefined> {
  const { rungs } = context.spec;
  const rung = rungs.find(({ copied }) => copied);
  if (!rung) return undefined;
  if (rungs.length > 1) throw new JobError('INTERNAL', 'a rung is copied together with others');
  const before = process.cpuUsage();
  const ownCpuSeconds = (): number => {
    const { user, system } = process.cpuUsage(before);
    return Math.round((user + system) / 1e4) / 100;
  };
  try {
    const track = await copyTrack(context, source, rung);
    return { track, warnings: [], ownCpuSeconds: ownCpuSeconds() };
  } catch (error) {
    if (!(error instanceof NotCopyable)) throw error;
    context.log.warn('the samples are not as declared', { obstacle: error.obstacle, detail: error.message });
    // without the name of the rung, so that the jobs of several rungs have one warning
    const reason = `The video is encoded, not copied: ${copyObstacles[error.obstacle]}.`;
    if (pixelsIn(context.spec, rung) > maxPixelsInstead) throw tooLongInstead(error);
    return { warnings: [reason], ownCpuSeconds: ownCpuSeconds() };
  }
}

/**
 * A copy is one job, and so is the encode that replaces it. This much, half an hour of 1080p30, is encoded within the
 * time limit of a job.
 */
const maxPixelsInstead = 1.2e11;

const pixelsIn = ({ chunk }: EncodeVideoSpec, { width, height }: Rung): number =>
  (chunk.endFrame - chunk.startFrame) * width * height;

const tooLongInstead = ({ obstacle }: NotCopyable): JobError =>
  new JobError(
    'INPUT_UNSUPPORTED',
    `The video cannot be copied: ${copyObstacles[obstacle]}. Process it with a template that has "copy": "off".`,
  );
