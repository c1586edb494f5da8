import { outputTransitions, statusesBefore, streamTransitions } from '../../contracts/statuses.ts';
import { held } from '../items/conditional.ts';
import { below } from '../items/expression.ts';
import { partIdItem, partIdKeys } from '../items/id-items.ts';
import { transact, type Write } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import { type Claim, reserve } from '../quotas/reserve.ts';
import {
  type Output,
  outputRecord,
  type Quota,
  type RetiredFiles,
  type Stream,
  streamRecord,
  type User,
  type Video,
} from '../records.ts';
import { VideoChanged } from '../videos/video-changed.ts';
import { videoActivity } from '../writes/activity-writes.ts';
import { retirement } from '../writes/retirement-writes.ts';
import { type NewStreamEdit, requestStreamEdits } from '../writes/stream-edit-writes.ts';

/** Who edits a stream, and the quota of the video's owner, which the encode counts against. */
export type Charged = { by: User; quota: Quota | null };

/**
 * A stream to be encoded first with the estimate of that, and the output that plays it alone when it is a muxed stream.
 */
export type StreamAddition = {
  stream: Stream;
  edit: NewStreamEdit;
  cpuSeconds: number;
  output: Output | undefined;
};

/**
 * Adds streams to a completed video, each with the edit that encodes it.
 * @throws VideoChanged, QuotaExceeded
 */
export async function addStreams(
  video: Video,
  additions: StreamAddition[],
  name: string,
  { by, quota }: Charged,
): Promise<void> {
  const { ulid } = video;
  const writes = [
    ...requestStreamEdits(
      video,
      additions.map(({ edit }) => edit),
    ),
    {
      update: keys.streams(ulid),
      set: Object.fromEntries(additions.map(({ stream }) => [`streams.${stream.ulid}`, streamRecord.parse(stream)])),
      when: { exists: true },
    },
    ...additions.flatMap(({ stream, output }) => [
      ...[stream.id, stream.ulid].map((id) => ({ put: partIdItem('stream', id, stream.ulid, ulid) })),
      ...(output ? addOutput(ulid, output) : []),
    ]),
    videoActivity(by, video, 'updated', `Added stream ${name} to ${video.name}`, { stream: name }),
  ];
  await unlessChanged(() =>
    reserve(
      ownerOf(video, quota),
      additions.map((one) => claimOf(video, one)),
      { writes },
    ),
  );
}

/**
 * Requests an edit that makes another poster.
 * @throws VideoChanged
 */
export const requestPoster = (video: Video, edit: NewStreamEdit, by: User): Promise<void> =>
  unlessChanged(() =>
    transact([
      ...requestStreamEdits(video, [edit]),
      videoActivity(by, video, 'updated', `Changed the poster of ${video.name}`, {
        ...(edit.posterUpload ? { image: edit.posterUpload.type } : { at_seconds: edit.posterSeconds }),
      }),
    ]),
  );

/**
 * A stream's new track: the edit that encodes it with its estimate, its outputs, and a new output when a muxed stream
 * has none.
 */
export type TrackReplacement = {
  edit: NewStreamEdit;
  cpuSeconds: number;
  track: string;
  inputParams: Stream['inputParams'];
  outputs: readonly Output[];
  output: Output | undefined;
};

/**
 * Renames a stream and, with a replacement, moves it to pending for an edit that encodes its new track. Its failed
 * outputs become pending too.
 * @throws VideoChanged, QuotaExceeded
 */
export async function updateStream(
  video: Video,
  stream: Stream,
  { name, replacement }: { name: string; replacement: TrackReplacement | undefined },
  { by, quota }: Charged,
): Promise<void> {
  const inputParams = replacement?.inputParams ?? stream.inputParams;
  const writes = [
    ...(replacement ? replaceTrack(video, stream, name, replacement) : [renameStream(video, stream, name)]),
    videoActivity(by, video, 'updated', `Changed stream ${stream.name} of ${video.name}`, {
      old: { name: stream.name, input_params: stream.inputParams },
      attributes: { name, input_params: inputParams },
    }),
  ];
  const claims = replacement ? [claimOf(video, replacement)] : [];
  await unlessChanged(() => (replacement ? reserve(ownerOf(video, quota), claims, { writes }) : transact(writes)));
}

/**
 * What follows from the removal of a stream: an edit that rebuilds its outputs, or files that no output plays any more.
 */
export type StreamRemoval = {
  /** all outputs that have the stream */
  outputs: readonly Output[];
  consequence: { edit: NewStreamEdit } | { retired: RetiredFiles[] };
};

/**
 * Removes a stream from a video and from its outputs. The output of a muxed stream is removed with it.
 * @throws VideoChanged
 */
export async function removeStreamRecord(video: Video, stream: Stream, removal: StreamRemoval, by: User) {
  const { outputs, consequence } = removal;
  const { ulid, status, planNumber, type } = stream;
  const removed = type === 'muxed' ? outputs : [];
  const path = `streams.${ulid}`;
  const writes = [
    ...('edit' in consequence
      ? requestStreamEdits(video, [consequence.edit])
      : [stillCompleted(video), ...consequence.retired.map(retirement)]),
    { update: keys.streams(video.ulid), remove: [path], when: { equals: below(path, { status, planNumber }) } },
    ...removeFromOutputs(video.ulid, ulid, outputs, removed),
    ...partIdKeys({ streams: [stream], outputs: removed }).map((key) => ({ delete: key })),
    videoActivity(by, video, 'updated', `Deleted stream ${stream.name} of ${video.name}`, { stream: stream.name }),
  ];
  await unlessChanged(() => transact(writes));
}

async function unlessChanged(write: () => Promise<void>): Promise<void> {
  if (!(await held(write))) throw new VideoChanged('the video changed after it was read');
}

/** A run that has begun since the video was read may make an output of the stream. */
const stillCompleted = ({ ulid, planNumber, executionCount }: Video): Write => ({
  check: keys.video(ulid),
  when: { equals: { status: 'completed', planNumber, executionCount }, absent: ['deletedAt'] },
});

const ownerOf = ({ ownerUlid }: Video, quota: Quota | null) => ({ ulid: ownerUlid, quota });

/** The estimate of an encode, held until the edit ends. */
const claimOf = (
  { ulid, ownerUlid }: Video,
  { edit, cpuSeconds }: Pick<StreamAddition, 'edit' | 'cpuSeconds'>,
): Claim => ({
  key: keys.runReservation(ownerUlid, ulid, edit.planNumber),
  amounts: { uploadBytes: 0, cpuMilliseconds: Math.ceil(cpuSeconds * 1000) },
});

const renameStream = (video: Video, { ulid, status, planNumber }: Stream, name: string): Write => ({
  update: keys.streams(video.ulid),
  set: below(`streams.${ulid}`, { name }),
  when: { equals: below(`streams.${ulid}`, { status, planNumber }) },
});

function replaceTrack(video: Video, stream: Stream, name: string, replacement: TrackReplacement): Write[] {
  const { edit, track, inputParams, outputs, output } = replacement;
  const path = `streams.${stream.ulid}`;
  const { status, planNumber } = stream;
  const failed = outputs.filter((one) => one.status === 'failed');
  return [
    {
      update: keys.streams(video.ulid),
      set: below(path, {
        name,
        planNumber: edit.planNumber,
        track,
        inputParams,
        status: 'pending',
        errorLog: null,
      }),
      when: {
        equals: below(path, { status, planNumber }),
        oneOf: below(path, { status: statusesBefore(streamTransitions, 'pending') }),
      },
    },
    ...requestStreamEdits(video, [edit]),
    ...(failed.length > 0 ? [resetOutputs(video.ulid, failed, edit.planNumber)] : []),
    ...(output ? addOutput(video.ulid, output) : []),
  ];
}

/** Moves failed outputs back to pending under a new plan. */
const resetOutputs = (videoUlid: string, failed: Output[], planNumber: number): Write => {
  const ofEach = <Value>(values: Record<string, Value>): Record<string, Value> =>
    Object.assign({}, ...failed.map(({ ulid }) => below(`outputs.${ulid}`, values))) as Record<string, Value>;
  return {
    update: keys.outputs(videoUlid),
    set: ofEach<unknown>({ status: 'pending', builtByPlan: planNumber, errorLog: null }),
    when: { oneOf: ofEach({ status: statusesBefore(outputTransitions, 'pending') }) },
  };
};

const addOutput = (videoUlid: string, output: Output): Write[] => [
  {
    update: keys.outputs(videoUlid),
    set: { [`outputs.${output.ulid}`]: outputRecord.parse(output) },
    when: { exists: true },
  },
  { put: partIdItem('output', output.ulid, output.ulid, videoUlid) },
];

function removeFromOutputs(
  videoUlid: string,
  streamUlid: string,
  outputs: readonly Output[],
  removed: readonly Output[],
): Write[] {
  if (outputs.length === 0) return [];
  const kept = outputs.filter((output) => !removed.includes(output));
  return [
    {
      update: keys.outputs(videoUlid),
      set: Object.fromEntries(
        kept.map(({ ulid, streams }) => [`outputs.${ulid}.streams`, streams.filter((each) => each !== streamUlid)]),
      ),
      remove: removed.map(({ ulid }) => `outputs.${ulid}`),
      when: {
        equals: Object.fromEntries(
          outputs.map(({ ulid, builtByPlan }) => [`outputs.${ulid}.builtByPlan`, builtByPlan]),
        ),
      },
    },
  ];
}
