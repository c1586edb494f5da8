import type { Plan } from '../planning/encoding-plan.ts';
import { estimatedCpuSeconds, usualSeconds } from '../planning/estimated-cpu-seconds.ts';
import { qualityCpuSeconds } from '../planning/quality/quality-plan.ts';

/** The encode jobs that a plan needs, and the CPU seconds that they are estimated to take. */
export function encodeWork(plan: Plan): { jobs: number; seconds: number } {
  const chunks = plan.groups.flatMap(({ grid, rungs, chunks }) =>
    chunks.map((chunk) => estimatedCpuSeconds(chunk, grid, rungs)),
  );
  const others = plan.audio.length + (plan.thumbnails ? 1 : 0);
  const measurement = plan.quality ? [qualityCpuSeconds(plan.quality.spec)] : [];
  const seconds = [...chunks, ...measurement].reduce((sum, one) => sum + one, others * usualSeconds);
  return { jobs: chunks.length + others + measurement.length, seconds };
}
