import { log } from '../../common/log.ts';
import { isFinal } from '../../contracts/statuses.ts';
import { finishedJobs } from '../../job-results/job-results.ts';
import type { Plan } from '../../planning/encoding-plan.ts';
import { workOf } from '../../planning/planned-records.ts';
import { decideRungs, nothingDecided, type QualityDecision } from '../../planning/quality/decide-rungs.ts';
import { keptTracks, waitsForQuality } from '../../planning/quality/decided-plan.ts';
import { keepDecision, readDecision } from '../../stored-plans/stored-decision.ts';
import { readPlan } from '../../stored-plans/stored-plans.ts';
import { recordCrf, recordDecidedOutput, removeLeftOut } from '../../table/videos/decided-parts.ts';
import type { WholeVideo } from '../../table/videos/video-table.ts';

/**
 * Decides the qualities of a plan when its measurement has ended. The first decision counts, since chunks may be
 * encoded by it. Without a result, for example because the source is damaged there, the defaults of the plan are used.
 */
export async function decideQuality(whole: WholeVideo): Promise<void> {
  const { ulid, planNumber } = whole.video;
  const plan = await readPlan(ulid, planNumber);
  if (!plan.quality) return;
  const decision = await keepDecision(ulid, planNumber, async () => decisionOf(plan, await measured(ulid, planNumber)));
  log.info('qualities decided', { ...decision });
  await recordDecision(whole, decision);
}

type Measured = Parameters<typeof decideRungs>[1];

async function measured(videoUlid: string, planNumber: number): Promise<Measured | undefined> {
  const [job] = await finishedJobs(videoUlid, planNumber, 'quality');
  return job?.result;
}

const decisionOf = (plan: Plan, result: Measured | undefined): QualityDecision =>
  plan.quality && result ? decideRungs(plan.quality, result, keptTracks(plan)) : nothingDecided;

/** Records the decision of a plan that has one. An earlier call may have ended between its writes. */
export async function recordPlanDecision(whole: WholeVideo, { quality }: Plan): Promise<void> {
  const { ulid, planNumber } = whole.video;
  const { decision } = quality ? await readDecision(ulid, planNumber) : {};
  if (decision) await recordDecision(whole, decision);
}

/**
 * Streams of rungs that are left out leave their outputs, which wait for less work, and are removed: no viewer and no
 * client misses anything, so that they have not failed. The warnings of the original say why. The others show their
 * quality. The writes are one after the other: they change one item.
 */
async function recordDecision({ video, streams, outputs }: WholeVideo, { crf, leftOut }: QualityDecision) {
  const { ulid, planNumber } = video;
  const plan = await readPlan(ulid, planNumber);
  const ofPlan = streams.filter((stream) => stream.planNumber === planNumber && stream.type !== 'original');
  const gone = ofPlan.filter(({ track }) => leftOut[track] !== undefined);
  for (const output of outputs) {
    const planned = plan.outputs.find(({ name }) => name === output.name);
    if (output.planNumber !== planNumber || isFinal(output.status) || !planned) continue;
    if (!gone.some((stream) => output.streams.includes(stream.ulid))) continue;
    await recordDecidedOutput(video, output.ulid, {
      streams: output.streams.filter((streamUlid) => !gone.some((stream) => stream.ulid === streamUlid)),
      work: workOf(planned, plan, planNumber),
    });
  }
  const original = streams.find(({ type }) => type === 'original');
  if (original && gone.length > 0) {
    const known = (original.meta.warnings ?? []) as string[];
    const reasons = gone.map(({ track }) => leftOut[track]!);
    await removeLeftOut(video, gone, { original, warnings: [...new Set([...known, ...reasons])] });
  }
  const waiting = plan.groups.filter(waitsForQuality).flatMap(({ rungs }) => rungs.map(({ name }) => name));
  for (const { ulid: streamUlid, track, inputParams, status } of ofPlan) {
    const chosen = waiting.includes(track) ? crf[track] : undefined;
    if (chosen === undefined || isFinal(status)) continue;
    // the settings of a stream are those of a template, where a crf is a whole number
    const shown = Math.round(chosen);
    if (inputParams.crf !== shown) await recordCrf(video, streamUlid, shown);
  }
}
