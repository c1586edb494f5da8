import { readEnvironment } from '../../shared/environment.ts';
import { chunkListKey, waitingChunksKey } from '../../shared/object-keys.ts';
import { JobError, StateError, stateErrors } from '../../shared/protocol/job-errors.ts';
import type { ChunkList, ListedChunk, PlanResult } from '../../shared/protocol/plan-result.ts';
import type { ProbeResult } from '../../shared/protocol/probe-result.ts';
import { writeObject } from '../aws/object-store.ts';
import { QuotaExceeded } from '../common/errors.ts';
import { log } from '../common/log.ts';
import { probeOf } from '../job-results/job-results.ts';
import type { Plan } from '../planning/encoding-plan.ts';
import { remuxCount } from '../planning/output-plan.ts';
import { waitsForQuality } from '../planning/quality/decided-plan.ts';
import type { EncodeGroup } from '../planning/video/encode-groups.ts';
import { neededMib } from '../queue/node-memory.ts';
import { asStateError } from '../queue/report-failure.ts';
import { keepPlan } from '../stored-plans/stored-plans.ts';
import { findUser } from '../table/accounts/user-table.ts';
import { finishedWork, remainingWork, reservePlannedWork, type Work } from '../table/jobs/planned-work.ts';
import type { Output } from '../table/records.ts';
import type { Run } from '../table/videos/run.ts';
import { launchWorkers } from '../workers/launch-workers.ts';
import { currentRun, runInput } from './current-run.ts';
import { encodeWork } from './encode-work.ts';
import { plan as planRun, recordOutputs } from './operations.ts';

/** State Plan: decides what is encoded and which outputs are made of it. A second call makes the same plan. */
export async function handler(raw: unknown): Promise<PlanResult> {
  const { videoUlid, planNumber } = runInput.parse(raw);
  const run = await currentRun(videoUlid, planNumber);
  const probe = await probeOf(run.whole.video);
  const done = await finishedWork(run);
  const planned = await planWithinQuota(run, probe, done).catch((error: unknown) => {
    throw asStateError(error);
  });
  const plan = await keepPlan(videoUlid, planNumber, planned);
  for (const warning of plan.warnings) log.warn(warning);

  const isWaiting = (group: EncodeGroup): boolean => plan.quality !== undefined && waitsForQuality(group);
  const chunks = plan.groups.filter((group) => !isWaiting(group));
  const waiting = plan.groups.filter(isWaiting);
  const [chunkList, waitingChunks] = await Promise.all([
    writeChunks(chunkListKey(videoUlid, planNumber), chunks),
    writeChunks(waitingChunksKey(videoUlid, planNumber), waiting),
  ]);
  // After the plan is stored, since readers of an output read its plan.
  const outputs = await recordOutputs(run, plan, probe);
  const { source } = plan;
  const memoryMib = source ? Math.max(0, ...plan.groups.map(({ rungs }) => neededMib(rungs, source))) : 0;
  await launchWorkers({ ...remainingWork(encodeWork(plan), done), memoryMib });
  return {
    chunks: chunkList,
    waitingChunks,
    isMeasured: plan.quality !== undefined,
    audio: plan.audio.map((_, index) => ({ index })),
    thumbnails: plan.thumbnails !== null,
    captions: plan.captions.length > 0,
    outputs: outputs.map((output) => outputToPackage(output, plan)),
  };
}

/** Writes a list, unless it is empty: no state reads an empty one. */
async function writeChunks(key: string, groups: EncodeGroup[]): Promise<ChunkList> {
  const chunks: ListedChunk[] = groups.flatMap((group) =>
    group.chunks.map(({ index }) => ({ group: group.index, index })),
  );
  if (chunks.length > 0) await writeObject(key, JSON.stringify(chunks), 'application/json');
  return { bucket: readEnvironment('BUCKET_NAME'), key, count: chunks.length };
}

async function planWithinQuota(run: Run, probe: ProbeResult, done: Work): Promise<Plan> {
  const plan = await planRun(run, probe);
  await reserveWork(run, plan, done);
  return plan;
}

function outputToPackage({ ulid, name }: Output, plan: Plan): PlanResult['outputs'][number] {
  const group = plan.outputs.findIndex((planned) => planned.name === name);
  const parts = Array.from({ length: remuxCount(plan.outputs[group]!) }, (_, index) => ({ group, index }));
  return { outputUlid: ulid, remux: parts.length > 0, parts };
}

/**
 * Holds the estimated CPU seconds of a plan of the owner's quota. Only the probe shows how much work a source is, so a
 * quota that allowed the upload may be too small for it. Then the run fails here, before anything is encoded.
 * @throws JobError QUOTA_EXCEEDED; StateError when the video or its owner changed, for another attempt
 */
async function reserveWork(run: Run, plan: Plan, done: Work): Promise<void> {
  const owner = await findUser(run.whole.video.ownerUlid);
  if (!owner) return;
  const planned = encodeWork(plan);
  const planSeconds = planned.seconds;
  const remaining = remainingWork(planned, done).seconds;
  const isHeld = await reservePlannedWork(run, owner, { planSeconds, remaining }).catch((error: unknown) => {
    throw error instanceof QuotaExceeded ? exceeded(remaining) : error;
  });
  if (!isHeld) throw new StateError(stateErrors.jobTransient, 'INTERNAL', 'The video changed while it was planned.');
}

const exceeded = (seconds: number): JobError =>
  new JobError(
    'QUOTA_EXCEEDED',
    `The video needs about ${Math.ceil(seconds)} CPU seconds, more than is left of this month's quota. Process it again next month or with a smaller template, or ask the administrator for a higher quota.`,
  );
