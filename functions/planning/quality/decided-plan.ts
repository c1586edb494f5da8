import type { Rung } from '../../../shared/protocol/encode-spec.ts';
import type { Plan } from '../encoding-plan.ts';
import type { EncodeGroup } from '../video/encode-groups.ts';
import type { QualityDecision } from './decide-rungs.ts';

/**
 * A plan after its measurement: with the decided qualities, and without the rungs that are left out. Groups of the
 * first phase do not wait for it and stay as they are. Groups keep their places, since jobs are named by them.
 */
export function decidedPlan(plan: Plan, { crf, leftOut }: QualityDecision): Plan {
  const isMade = (name: string): boolean => leftOut[name] === undefined;
  const decided = (rung: Rung): Rung => {
    const chosen = crf[rung.name];
    return chosen === undefined || rung.rate.mode !== 'crf' ? rung : { ...rung, rate: { ...rung.rate, crf: chosen } };
  };
  return {
    ...plan,
    groups: plan.groups.map((group) =>
      group.phase === 0 ? group : { ...group, rungs: group.rungs.filter(({ name }) => isMade(name)).map(decided) },
    ),
    streams: plan.streams.filter(({ name }) => isMade(name)),
    outputs: plan.outputs.map((output) => ({ ...output, video: output.video.filter(isMade) })),
  };
}

/** Whether a group of a measured plan is encoded after the decision. Copies do not depend on it. */
export const waitsForQuality = ({ phase, rungs }: EncodeGroup): boolean =>
  phase > 0 && !rungs.every(({ copied }) => copied);

/**
 * Tracks that cannot be left out: those of the first phase, which are encoded already, and the last one of each group
 * and of each output.
 */
export function keptTracks({ groups, outputs }: Pick<Plan, 'groups' | 'outputs'>): Set<string> {
  return new Set([
    ...groups.filter(({ phase }) => phase === 0).flatMap(({ rungs }) => rungs.map(({ name }) => name)),
    ...groups.flatMap(({ rungs }) => rungs.slice(0, 1).map(({ name }) => name)),
    ...outputs.flatMap(({ video }) => video.slice(0, 1)),
  ]);
}
