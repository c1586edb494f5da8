import { now, timestamp } from '../../../shared/clock.ts';
import { newUlid } from '../../common/ids.ts';
import { type Due, due } from '../items/due-keys.ts';
import type { Write } from '../items/items.ts';
import { type Key, keys } from '../items/keys.ts';
import type { Caption, Job, StreamEdit, Upload, Video } from '../records.ts';

/** Amounts of the two metrics that quotas limit. */
export type Amounts = { uploadBytes: number; cpuMilliseconds: number };

const checkMilliseconds = 24 * 3_600_000;

/** Has reconcile check after a day whether an amount is still held for something. */
export const reservationCheck = (key: Key): Due => due('reservation', key.sk, timestamp(now() + checkMilliseconds));

/** Holds amounts of a quota, in place of what the same key held before. */
export const reservationWrite = (key: Key, amounts: Amounts): Write => ({
  put: { ...key, ...reservationCheck(key), kind: 'reservation', token: newUlid(), ...amounts },
});

/** Releases the declared size of an upload that becomes a video or is closed. */
export const uploadRelease = ({ ownerUlid, ulid }: Upload): Write => ({
  delete: keys.uploadReservation(ownerUlid, ulid),
});

/** Releases what is left of the estimate of a run that ends. */
export const runRelease = ({ ulid, ownerUlid }: Video, { planNumber }: Pick<StreamEdit, 'planNumber'>): Write => ({
  delete: keys.runReservation(ownerUlid, ulid, planNumber),
});

/** Jobs that the estimate of a run consists of. */
export const estimatedKinds: readonly Job['kind'][] = ['quality', 'encode-video', 'encode-audio', 'thumbnails'];

/** Releases what is left of the estimate of captions that were being made from speech. */
export const speechRelease = (
  { ulid, ownerUlid }: Pick<Video, 'ulid' | 'ownerUlid'>,
  { status, speech }: Pick<Caption, 'status' | 'speech'>,
): Write[] =>
  status === 'pending' && speech ? [{ delete: keys.speechReservation(ownerUlid, ulid, speech.request) }] : [];

/**
 * Takes the estimate of a finished job from that of its run, or of the captions from speech, in the transaction that
 * counts what the job really used. Without a condition, since a result counts also when nothing is held: what this
 * leaves then is not counted, and reconcile deletes it.
 */
export function runProgressWrites(job: Job, { ownerUlid }: Pick<Video, 'ownerUlid'>): Write[] {
  const key = reservationOf(job, ownerUlid);
  if (!key) return [];
  const add = { cpuMilliseconds: -Math.round(job.estimateSeconds * 1000) };
  return [{ update: key, setIfAbsent: reservationCheck(key), add }];
}

function reservationOf({ kind, videoUlid, planNumber, speech }: Job, ownerUlid: string): Key | undefined {
  if (kind === 'transcribe') return speech && keys.speechReservation(ownerUlid, videoUlid, speech.request);
  return estimatedKinds.includes(kind) ? keys.runReservation(ownerUlid, videoUlid, planNumber) : undefined;
}
