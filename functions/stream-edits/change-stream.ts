import { startStreamEditExecution } from '../aws/executions.ts';
import type { Stream } from '../table/records.ts';
import { type Charged, updateStream } from '../table/stream-edits/edited-streams.ts';
import type { WholeVideo } from '../table/videos/video-table.ts';
import type { InputParams } from '../templates/input-params.ts';
import { planReplacement } from './plan-replacement.ts';

type StreamChanges = { name?: string | undefined; input_params?: InputParams | undefined };

/**
 * Renames a stream, and requests an edit that encodes it again when the new parameters give another track.
 * @throws ValidationFailed, QuotaExceeded, Conflict, in this order; VideoChanged when the video was changed since it
 * was read
 */
export async function changeStream(
  whole: WholeVideo,
  stream: Stream,
  changes: StreamChanges,
  charged: Charged,
): Promise<void> {
  const { video } = whole;
  const replacement =
    changes.input_params && (await planReplacement(whole, stream, changes.input_params, charged.quota));
  const name = changes.name ?? stream.name;
  if (name === stream.name && !replacement) return;
  await updateStream(video, stream, { name, replacement }, charged);
  if (replacement && video.editPlanNumber === undefined) {
    await startStreamEditExecution(video.ulid, replacement.edit.planNumber);
  }
}
