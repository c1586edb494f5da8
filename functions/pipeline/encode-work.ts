import type { Plan } from '../planning/encoding-plan.ts';
import {
  estimatedAudioSeconds,
  estimatedCpuSeconds,
  estimatedThumbnailSeconds,
} from '../planning/estimated-cpu-seconds.ts';
import { qualityCpuSeconds } from '../planning/quality/quality-plan.ts';
import type { Work } from '../table/jobs/planned-work.ts';

/** The encode jobs that a plan needs, and the CPU seconds that they are estimated to take. */
export function encodeWork(plan: Plan): Work {
  const chunks = plan.groups.flatMap(({ grid, rungs, chunks }) =>
    chunks.map((chunk) => estimatedCpuSeconds(chunk, grid, rungs)),
  );
  const audio = plan.audio.map((rendition) => estimatedAudioSeconds(rendition, plan.durationSeconds));
  const thumbnails = plan.thumbnails ? [estimatedThumbnailSeconds(plan.thumbnails)] : [];
  const measurement = plan.quality ? [qualityCpuSeconds(plan.quality.spec)] : [];
  const jobs = [...chunks, ...audio, ...thumbnails, ...measurement];
  return { jobs: jobs.length, seconds: jobs.reduce((sum, one) => sum + one, 0) };
}
