import { timestamp } from '../../shared/clock.ts';
import type { ProbeResult } from '../../shared/protocol/probe-result.ts';
import { newUlid } from '../common/ids.ts';
import type { Output, Stream } from '../table/records.ts';
import type { PlannedVideo } from '../table/videos/video-plan.ts';
import type { WholeVideo } from '../table/videos/video-table.ts';
import type { Plan, PlannedOutput } from './encoding-plan.ts';
import { firstSecondsOf } from './narrow-to-clip.ts';
import { newStream } from './planned-stream.ts';
import { audioTrackPart, encodeGroupPart, groupUnits } from './work-part.ts';

/** `firstStreamId` is the first of as many new ids as the plan has streams. */
type Planned = { whole: WholeVideo; plan: Plan; probe: ProbeResult; firstStreamId: number };

/**
 * A video's properties, streams and outputs under a new plan. Completed outputs of an earlier plan stay beside the new
 * ones and keep playing. When the source is being replaced, all of them stay: they are the video again if that fails.
 */
export function plannedRecords({ whole, plan, probe, firstStreamId }: Planned): PlannedVideo {
  const { planNumber } = whole.video;
  const streams = plan.streams.map((planned, offset) => newStream(planned, { id: firstStreamId + offset, planNumber }));
  const outputs = plan.outputs.map((planned) => plannedOutput(planned, plan, streams, planNumber));
  const isReplacing = whole.video.replaced !== undefined;
  const kept = isReplacing ? earlier(whole) : playing(whole);
  return {
    durationSeconds: Math.round(plan.durationSeconds * 1000) / 1000,
    aspectRatio: plan.aspectRatio,
    originSeconds: plan.originSeconds - firstSecondsOf(probe),
    streams: [probed(whole, probe, plan), ...kept.streams, ...streams],
    outputs: [...kept.outputs, ...outputs],
    ...(isReplacing && { replacedOriginal: originalOf(whole) }),
  };
}

const earlier = ({ outputs, streams }: WholeVideo): Pick<WholeVideo, 'outputs' | 'streams'> => ({
  outputs,
  streams: streams.filter(({ type }) => type !== 'original'),
});

const originalOf = ({ streams }: WholeVideo): Stream => streams.find(({ type }) => type === 'original')!;

/** Completed outputs and their streams. */
function playing({ outputs, streams }: WholeVideo): Pick<WholeVideo, 'outputs' | 'streams'> {
  const kept = outputs.filter(({ status }) => status === 'completed');
  const used = new Set(kept.flatMap((output) => output.streams));
  return { outputs: kept, streams: streams.filter(({ ulid }) => used.has(ulid)) };
}

const probed = (whole: WholeVideo, { video, audio, meta }: ProbeResult, plan: Plan): Stream => ({
  ...originalOf(whole),
  ...(whole.video.replaced && { bytes: whole.video.sourceBytes }),
  status: 'completed',
  errorLog: null,
  width: video?.width ?? null,
  height: video?.height ?? null,
  language: audio[0]?.language ?? null,
  channels: audio[0]?.channels ?? null,
  meta: {
    ...meta,
    ...(video?.spherical && { spherical: video.spherical }),
    ...(plan.warnings.length > 0 && { warnings: plan.warnings }),
    decisions: plan.decisions ?? [],
  },
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

/** Units of work of an output by part: those of the chunks of each group that it needs, and 1 for each audio track. */
export function workOf(planned: PlannedOutput, plan: Plan, planNumber: number): Record<string, number> {
  const groups = plan.groups
    .filter(({ rungs }) => rungs.some(({ name }) => planned.video.includes(name)))
    .map((group) => [encodeGroupPart(planNumber, group.index), groupUnits(group)] as const);
  const audio = plan.audio.flatMap(({ name }, index) =>
    planned.audio.includes(name) ? [[audioTrackPart(planNumber, index), 1] as const] : [],
  );
  return Object.fromEntries([...groups, ...audio]);
}
