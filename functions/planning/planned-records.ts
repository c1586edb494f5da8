import { timestamp } from '../../shared/clock.ts';
import type { ProbeResult } from '../../shared/protocol/probe-result.ts';
import { newUlid } from '../common/ids.ts';
import { audioTrackPart, encodeGroupPart } from '../queue/work-part.ts';
import { type Item, takeIds, type Write } from '../table/items/items.ts';
import { keys } from '../table/items/keys.ts';
import { partIdItem } from '../table/items/record-ids.ts';
import type { Output, Stream } from '../table/records.ts';
import { outputsItem, progressItem, streamsItem, videoMove, type WholeVideo } from '../table/videos/video-table.ts';
import { newStream } from './new-stream.ts';
import type { Plan, PlannedOutput } from './plan-video.ts';

type Planned = { whole: WholeVideo; plan: Plan; probe: ProbeResult };

/**
 * Streams and outputs of a plan, and the transaction that makes them together with the video's move to running. What plays of an earlier plan stays
 * beside them.
 */
export async function plannedRecords({ whole, plan, probe }: Planned): Promise<{
  outputs: Output[];
  ids: Item[];
  transaction: Write[];
}> {
  const { video } = whole;
  const firstId = plan.streams.length > 0 ? await takeIds(keys.counter('stream'), plan.streams.length) : 0;
  const streams = plan.streams.map((planned, offset) =>
    newStream(planned, { id: firstId + offset, planNumber: video.planNumber }),
  );
  const outputs = plan.outputs.map((planned) => plannedOutput(planned, plan, streams, video.planNumber));
  const kept = playing(whole);
  const parts = [...new Set(outputs.flatMap(({ work }) => Object.keys(work)))];
  return {
    outputs,
    ids: [
      ...streams.flatMap(({ id, ulid }) => [id, ulid].map((name) => partIdItem('stream', name, ulid, video.ulid))),
      ...outputs.map(({ ulid }) => partIdItem('output', ulid, ulid, video.ulid)),
    ],
    transaction: [
      videoMove(video, 'running', {
        set: { durationSeconds: Math.round(plan.durationSeconds * 1000) / 1000, aspectRatio: plan.aspectRatio },
      }),
      { put: streamsItem(video.ulid, video.planNumber, [probed(whole, probe, plan), ...kept.streams, ...streams]) },
      { put: outputsItem(video.ulid, video.planNumber, [...kept.outputs, ...outputs]) },
      { put: progressItem(video.ulid, video.planNumber, parts) },
    ],
  };
}

/** Outputs that viewers can open, with their streams. */
function playing({ outputs, streams }: WholeVideo): Pick<WholeVideo, 'outputs' | 'streams'> {
  const kept = outputs.filter(({ status }) => status === 'completed');
  const used = new Set(kept.flatMap((output) => output.streams));
  return { outputs: kept, streams: streams.filter(({ ulid }) => used.has(ulid)) };
}

const probed = ({ streams }: WholeVideo, { video, audio, meta }: ProbeResult, plan: Plan): Stream => ({
  ...streams.find(({ type }) => type === 'original')!,
  status: 'completed',
  errorLog: null,
  width: video?.width ?? null,
  height: video?.height ?? null,
  language: audio[0]?.language ?? null,
  channels: audio[0]?.channels ?? null,
  meta: plan.warnings.length > 0 ? { ...meta, warnings: plan.warnings } : meta,
});

function plannedOutput(planned: PlannedOutput, plan: Plan, streams: Stream[], planNumber: number): Output {
  const tracks = [...planned.video, ...planned.audio];
  return {
    ulid: newUlid(),
    planNumber,
    builtByPlan: planNumber,
    name: planned.name,
    format: planned.format,
    container: planned.container,
    status: planned.error === null ? 'pending' : 'failed',
    streams: streams.filter(({ track }) => tracks.includes(track)).map(({ ulid }) => ulid),
    work: workOf(planned, plan, planNumber),
    bytes: null,
    entryKey: null,
    errorLog: planned.error,
    createdAt: timestamp(),
    completedAt: null,
  };
}

/** Frames of the encode groups that the output needs, and one unit for each of its audio tracks. */
export function workOf(planned: PlannedOutput, plan: Plan, planNumber: number): Record<string, number> {
  const groups = plan.groups
    .filter(({ rungs }) => rungs.some(({ name }) => planned.video.includes(name)))
    .map(({ index, chunks }) => [encodeGroupPart(planNumber, index), chunks.at(-1)?.endFrame ?? 0] as const);
  const audio = plan.audio.flatMap(({ name }, index) =>
    planned.audio.includes(name) ? [[audioTrackPart(planNumber, index), 1] as const] : [],
  );
  return Object.fromEntries([...groups, ...audio]);
}
