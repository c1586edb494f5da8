import * as z from 'zod';
import { manifestsPrefix } from '../../shared/object-keys.ts';
import { JobError, StateError, stateErrors } from '../../shared/protocol/job-errors.ts';
import { objectBytes, writeObject } from '../aws/object-store.ts';
import { type Deliverable, remuxedFile, segmentManifests, transportStreams } from '../packaging/deliverables.ts';
import { finishedTracks } from '../packaging/finished-tracks.ts';
import { readPlan } from '../planning/stored-plans.ts';
import { asStateError } from '../queue/report.ts';
import { swapOutput } from '../stream-edits/swap-output.ts';
import type { Output } from '../table/records.ts';
import { moveOutput } from '../table/videos/video-table.ts';
import { editOfPlan, wholeVideoOfPlan } from './current-run.ts';
import { endStreams } from './end-streams.ts';

const input = z.object({ videoUlid: z.string(), planNumber: z.int(), outputUlid: z.string() });

/** Writes an output's manifests over the finished segments, sees that every file is there, and makes it playable. */
export async function handler(raw: unknown): Promise<void> {
  const { videoUlid, planNumber, outputUlid } = input.parse(raw);
  const whole = await wholeVideoOfPlan(videoUlid, planNumber);
  const output = whole.outputs.find(({ ulid }) => ulid === outputUlid);
  if (!output) throw new StateError(stateErrors.jobCancelled, 'CANCELLED', 'The output was deleted.');
  const change = editOfPlan(whole, planNumber);
  if (output.status === 'completed' && output.builtByPlan === planNumber) {
    // An earlier call may have died before this.
    if (!change) await endStreams(videoUlid, outputUlid);
    return;
  }
  try {
    const { entryKey, manifests, files } = await deliverable(videoUlid, planNumber, output);
    await Promise.all(manifests.map(({ key, body, contentType }) => writeObject(key, body, contentType)));
    await checkFiles(files);
    const bytes = [...files.map((file) => file.bytes), ...manifests.map(({ body }) => Buffer.byteLength(body))];
    const made = { entryKey, bytes: bytes.reduce((sum, one) => sum + one, 0) };
    if (change && output.status === 'completed') await swapOutput(change, output, made);
    else await moveOutput(videoUlid, outputUlid, 'completed', made);
    if (!change) await endStreams(videoUlid, outputUlid);
  } catch (error) {
    throw asStateError(error);
  }
}

async function deliverable(videoUlid: string, planNumber: number, output: Output): Promise<Deliverable> {
  const plan = await readPlan(videoUlid, planNumber);
  const group = plan.outputs.findIndex(({ name }) => name === output.name);
  const planned = plan.outputs[group];
  if (!planned) throw new Error(`the plan has no output ${output.name}`);
  const folder = manifestsPrefix(videoUlid, output.ulid, planNumber);
  if (planned.container === 'mp4') return remuxedFile({ videoUlid, planNumber, group });
  const tracks = await finishedTracks(videoUlid, planNumber, plan);
  if (planned.container === 'ts') return transportStreams({ videoUlid, planNumber, group, folder, planned, tracks });
  return segmentManifests({ folder, planned, tracks, durationSeconds: plan.durationSeconds });
}

/** Sizes as the store has them must be those that were reported. Looks at this many files at a time. */
const looksAtOnce = 16;

async function checkFiles(files: Deliverable['files']): Promise<void> {
  const left = [...files];
  const look = async (): Promise<void> => {
    for (let file = left.pop(); file; file = left.pop()) {
      const bytes = await objectBytes(file.key);
      if (bytes !== file.bytes) {
        throw new JobError('OUTPUT_MISMATCH', 'A file of the output is not in the store as it was made.');
      }
    }
  };
  await Promise.all(Array.from({ length: looksAtOnce }, look));
}
