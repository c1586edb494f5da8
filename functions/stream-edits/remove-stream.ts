import { runPrefix } from '../../shared/object-keys.ts';
import { startStreamEditExecution } from '../aws/executions.ts';
import { Conflict } from '../common/errors.ts';
import { filesOfOutput } from '../packaging/output-files.ts';
import type { Output, Stream, StreamEdit, User } from '../table/records.ts';
import { isFinal } from '../table/statuses.ts';
import { removeStreamRecord } from '../table/stream-edits/edited-streams.ts';
import type { RetiredFiles } from '../table/videos/retired-files.ts';
import { nextPlan } from '../table/videos/video-lifecycle.ts';
import type { WholeVideo } from '../table/videos/video-table.ts';
import { tracksOf } from './edit-targets.ts';

/**
 * Takes a stream from a video at once, and has the outputs rebuilt that played it.
 * @throws Conflict; VideoChanged when the video was changed since it was read
 */
export async function removeStream(whole: WholeVideo, stream: Stream, by: User): Promise<void> {
  const { video } = whole;
  const users = whole.outputs.filter((output) => output.streams.includes(stream.ulid));
  refuse(whole, stream, users);
  const rebuilt = stream.type === 'muxed' ? [] : users.filter(({ status }) => status === 'completed');
  const planNumber = nextPlan(video);
  const edit = {
    planNumber,
    action: 'remove',
    streamUlid: stream.ulid,
    type: stream.type as StreamEdit['type'],
    entry: null,
    segmentSeconds: 0,
    replaced: { planNumber: stream.planNumber, track: stream.track },
    outputs: rebuilt.map(({ ulid }) => ulid),
  } as const;
  const consequence = rebuilt.length > 0 ? { edit } : { retired: await filesAlone(video.ulid, stream, users) };
  await removeStreamRecord(video, stream, { outputs: users, consequence }, by);
  if (rebuilt.length > 0 && video.editPlanNumber === undefined) await startStreamEditExecution(video.ulid, planNumber);
}

function refuse({ video, streams }: WholeVideo, stream: Stream, users: Output[]): void {
  if (stream.type === 'original') throw new Conflict('The original cannot be deleted. Delete the video instead.');
  if (video.status !== 'completed') throw new Conflict('The video is not completed: its streams can go when it is.');
  if (!isFinal(stream.status)) throw new Conflict('The stream is being encoded: it can be deleted when that is done.');
  if (stream.type === 'muxed') return;
  const needs = users.find(
    (output) =>
      output.streams.length === 1 || (stream.type === 'video' && tracksOf(output, streams, 'video').length === 1),
  );
  if (needs) throw new Conflict(`The output ${needs.name} has no other ${stream.type} stream.`);
}

/** What no output needs rebuilding for: the files of a stream that none plays, or of a muxed one with the output that it is. */
async function filesAlone(videoUlid: string, stream: Stream, users: Output[]): Promise<RetiredFiles[]> {
  const own = stream.bytes === null ? [] : [{ prefix: runPrefix(videoUlid, stream.planNumber), track: stream.track }];
  const files = await Promise.all(
    users.filter(({ status }) => status === 'completed').map((output) => filesOfOutput(videoUlid, output)),
  );
  return [...own, ...files.flat()];
}
