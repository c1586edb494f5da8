import * as z from 'zod';
import { env } from '../../shared/environment.ts';
import { chunkListKey } from '../../shared/object-keys.ts';
import type { ProbeResult } from '../../shared/protocol/probe-result.ts';
import { writeObject } from '../aws/object-store.ts';
import { log } from '../common/log.ts';
import { chunkSeconds } from '../planning/estimate.ts';
import { type Plan, planVideo } from '../planning/plan-video.ts';
import { plannedRecords } from '../planning/planned-records.ts';
import { readFrames } from '../planning/stored-frame-index.ts';
import { writePlan } from '../planning/stored-plans.ts';
import { remuxCount } from '../queue/compose-lease.ts';
import { probeOf } from '../queue/probe-job.ts';
import { asStateError } from '../queue/report.ts';
import { usualSeconds } from '../queue/size-job.ts';
import { noteWork, outputsOf, planOfEdit } from '../stream-edits/plan-edit.ts';
import type { Output, Stream, Video } from '../table/records.ts';
import { isFinal } from '../table/statuses.ts';
import { storePlannedVideo, takeStreamIds } from '../table/videos/video-plan.ts';
import { findWholeVideo, moveOutput, moveStream, moveVideo, type WholeVideo } from '../table/videos/video-table.ts';
import { templateQuerySchema } from '../templates/template-query.ts';
import { launchWorkers } from '../workers/launch-workers.ts';
import { editOfPlan, wholeVideoOfPlan } from './current-run.ts';
import { isPlayed } from './end-streams.ts';

const input = z.object({ videoUlid: z.string(), planNumber: z.int() });

type Answer = {
  chunks: { bucket: string; key: string; count: number };
  audio: { index: number }[];
  thumbnails: boolean;
  outputs: { outputUlid: string; remux: boolean; parts: { group: number; index: number }[] }[];
};

/**
 * Decides what is encoded, from the probe and the template or from what is to change of one stream. The same plan comes out when asked again.
 */
export async function handler(raw: unknown): Promise<Answer> {
  const { videoUlid, planNumber } = input.parse(raw);
  const whole = await wholeVideoOfPlan(videoUlid, planNumber);
  const change = editOfPlan(whole, planNumber);
  const probe = await probeOf(videoUlid);
  const plan = await (change ? planOfEdit(whole, change) : planOfVideo(whole.video, probe)).catch((error: unknown) => {
    throw asStateError(error);
  });
  for (const warning of plan.warnings) log.warn(warning);

  const chunks = plan.groups.flatMap((group) => group.chunks.map(({ index }) => ({ group: group.index, index })));
  const key = chunkListKey(videoUlid, planNumber);
  await Promise.all([
    writePlan(videoUlid, planNumber, plan),
    writeObject(key, JSON.stringify(chunks), 'application/json'),
  ]);
  const outputs = change ? outputsOf(whole, change) : await recorded(videoUlid, plan, probe);
  if (change) await noteWork(whole, outputs, plan, planNumber);
  await launchWorkers(upcomingWork(plan));
  return {
    chunks: { bucket: env('BUCKET_NAME'), key, count: chunks.length },
    audio: plan.audio.map((_, index) => ({ index })),
    thumbnails: plan.thumbnails !== null,
    outputs: outputs
      .filter(({ status }) => change !== undefined || !isFinal(status))
      .map((output) => {
        const group = plan.outputs.findIndex(({ name }) => name === output.name);
        const parts = Array.from({ length: remuxCount(plan.outputs[group]!) }, (_, index) => ({ group, index }));
        return { outputUlid: output.ulid, remux: parts.length > 0, parts };
      }),
  };
}

/** What the next states will queue. */
function upcomingWork(plan: Plan): { jobs: number; seconds: number } {
  const chunks = plan.groups.flatMap(({ grid, rungs, chunks }) =>
    chunks.map((chunk) => chunkSeconds(chunk, grid, rungs)),
  );
  const others = plan.audio.length + (plan.thumbnails ? 1 : 0);
  const seconds = chunks.reduce((sum, one) => sum + one, others * usualSeconds);
  return { jobs: chunks.length + others, seconds };
}

async function planOfVideo(video: Video, probe: ProbeResult): Promise<Plan> {
  const query = templateQuerySchema.parse(video.query);
  return planVideo({ probe, frames: probe.video ? await readFrames(video.ulid) : null, query });
}

/** The run's outputs as recorded, by this call, or by an earlier one of the same plan. */
async function recorded(videoUlid: string, plan: Plan, probe: ProbeResult): Promise<Output[]> {
  const whole = await findWholeVideo(videoUlid);
  if (!whole) return [];
  const known = ofThisRun(whole);
  if (known.length > 0) return whole.video.status === 'downloading' ? resumed(whole, plan) : known;
  const firstStreamId = await takeStreamIds(plan.streams.length);
  const planned = plannedRecords({ whole, plan, probe, firstStreamId });
  const isStored = await storePlannedVideo(whole.video, planned);
  const current = isStored ? { ...whole, ...planned } : await findWholeVideo(videoUlid);
  return current ? ofThisRun(current) : [];
}

const ofThisRun = ({ video, outputs }: WholeVideo): Output[] =>
  outputs.filter(({ planNumber }) => planNumber === video.planNumber);

/** Takes up a plan again that was carried out before: what failed of it is made once more, what plays stays. */
async function resumed(whole: WholeVideo, plan: Plan): Promise<Output[]> {
  const { video, streams, outputs } = whole;
  const possible = new Set(plan.outputs.filter(({ error }) => error === null).map(({ name }) => name));
  const again = ofThisRun(whole).filter(({ name, status }) => status === 'failed' && possible.has(name));
  const fresh = { errorLog: null };
  await Promise.all([
    ...again.map(({ ulid }) => moveOutput(video.ulid, ulid, 'pending', fresh)),
    ...streams
      .filter(
        (stream) =>
          stream.planNumber === video.planNumber && stream.type !== 'original' && isToBeEnded(stream, outputs),
      )
      .map(({ ulid }) => moveStream(video.ulid, ulid, 'pending', fresh)),
  ]);
  await moveVideo(video, 'running');
  return again.map((output) => ({ ...output, status: 'pending' }));
}

/** One that failed, or that was encoded for outputs that all failed. */
const isToBeEnded = (stream: Stream, outputs: Output[]): boolean =>
  stream.status === 'failed' || !isPlayed(stream, outputs);
