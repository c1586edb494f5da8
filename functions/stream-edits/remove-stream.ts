import { runPrefix } from '../../shared/object-keys.ts';
import { startStreamEditExecution } from '../aws/executions.ts';
import { Conflict } from '../common/errors.ts';
import { isFinal } from '../contracts/statuses.ts';
import { filesOfOutput } from '../packaging/output-files.ts';
import type { Output, RetiredFiles, Stream, StreamEdit, User } from '../table/records.ts';
import { removeStreamRecord } from '../table/stream-edits/edited-streams.ts';
import { nextPlan } from '../table/videos/reprocess-video.ts';
import type { WholeVideo } from '../table/videos/video-table.ts';
import { streamsOfType } from './output-groups.ts';

/**
 * Removes a stream from a video at once, and requests an edit that rebuilds the outputs that use it.
 * @throws Conflict; VideoChanged when the video was changed since it was read
 */
export async function removeStream(whole: WholeVideo, stream: Stream, by: User): Promise<void> {
  const { video } = whole;
  const outputs = whole.outputs.filter((output) => output.streams.includes(stream.ulid));
  refuse(whole, stream, outputs);
  const rebuilt = stream.type === 'muxed' ? [] : outputs.filter(({ status }) => status === 'completed');
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
  const consequence = rebuilt.length > 0 ? { edit } : { retired: await filesToRetire(video.ulid, stream, outputs) };
  await removeStreamRecord(video, stream, { outputs, consequence }, by);
  if (rebuilt.length > 0 && video.editPlanNumber === undefined) await startStreamEditExecution(video.ulid, planNumber);
}

function refuse({ video, streams }: WholeVideo, stream: Stream, outputs: Output[]): void {
  if (stream.type === 'original')
    throw new Conflict('stream_is_original', 'The original cannot be deleted. Delete the video instead.');
  if (video.status !== 'completed')
    throw new Conflict('video_not_completed', 'The video is not completed. Its streams can be deleted when it is.');
  if (!isFinal(stream.status))
    throw new Conflict('stream_in_progress', 'The stream is being encoded. It can be deleted when that is done.');
  if (stream.type === 'muxed') return;
  const dependent = outputs.find(
    (output) =>
      output.streams.length === 1 || (stream.type === 'video' && streamsOfType(output, streams, 'video').length === 1),
  );
  if (dependent)
    throw new Conflict('stream_required', `The output ${dependent.name} has no other ${stream.type} stream.`);
}

/**
 * The files of a stream for which no output is rebuilt: one that no completed output uses, or a muxed one with its
 * file.
 */
async function filesToRetire(videoUlid: string, stream: Stream, outputs: Output[]): Promise<RetiredFiles[]> {
  const track = stream.bytes === null ? [] : [{ prefix: runPrefix(videoUlid, stream.planNumber), track: stream.track }];
  const files = await Promise.all(
    outputs.filter(({ status }) => status === 'completed').map((output) => filesOfOutput(videoUlid, output)),
  );
  return [...track, ...files.flat()];
}
