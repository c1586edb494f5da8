import type { Plan } from '../planning/encoding-plan.ts';
import { estimatedCpuSeconds, usualSeconds } from '../planning/estimated-cpu-seconds.ts';

/** The encode jobs that a plan needs, and the CPU seconds that they are estimated to take. */
export function encodeWork(plan: Plan): { jobs: number; seconds: number } {
  const chunks = plan.groups.flatMap(({ grid, rungs, chunks }) =>
    chunks.map((chunk) => estimatedCpuSeconds(chunk, grid, rungs)),
  );
  const others = plan.audio.length + (plan.thumbnails ? 1 : 0);
  const seconds = chunks.reduce((sum, one) => sum + one, others * usualSeconds);
  return { jobs: chunks.length + others, seconds };
}
