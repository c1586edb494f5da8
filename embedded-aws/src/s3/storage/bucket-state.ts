import type { ObjectEvent } from '../protocol/bucket-settings.ts';
import type { Checksum, ChecksumAlgorithm, ChecksumType } from '../protocol/checksums.ts';
import type { Blob } from './blobs.ts';
import { sortedKeys, toByteOrder } from './sorted-keys.ts';

export type Tags = Record<string, string>;

/** `etag` has no quotes. `headers` are returned by GetObject and include x-amz-meta-*. */
export type StoredObject = {
  bucket: string;
  key: string;
  blobs: Blob[];
  sizeBytes: number;
  etag: string;
  modifiedMs: number;
  headers: Record<string, string>;
  tags?: Tags;
  checksum?: Checksum;
  sequencer: string;
};

export type Part = { number: number; blob: Blob; etag: string; modifiedMs: number; checksum?: string };

export type Upload = {
  id: string;
  bucket: string;
  key: string;
  initiatedMs: number;
  headers: Record<string, string>;
  tags?: Tags;
  checksum?: { algorithm: ChecksumAlgorithm; type: ChecksumType };
};

/** A completed upload, kept so that a repeated CompleteMultipartUpload gets the same response. */
export type Completion = { uploadId: string; parts: string; completedMs: number; object: CompletedObject };
export type CompletedObject = Pick<StoredObject, 'bucket' | 'key' | 'etag' | 'checksum'>;

/** An atomic change of the state. */
export type Change =
  | { type: 'put'; object: StoredObject; event?: ObjectEvent; completion?: Completion }
  | { type: 'delete'; bucket: string; keys: string[] }
  | { type: 'tag'; bucket: string; key: string; tags: Tags }
  | { type: 'upload'; upload: Upload }
  | { type: 'part'; uploadId: string; part: Part }
  | { type: 'abort'; uploadId: string }
  | { type: 'completion'; completion: Completion }
  | { type: 'forget'; uploadId: string }
  | { type: 'event'; event: ObjectEvent }
  | { type: 'delivered'; sequencer: string };

/** `objects` is keyed in byte order, and `keys` contains the same keys sorted. */
type BucketState = { objects: Map<string, StoredObject>; keys: ReturnType<typeof sortedKeys> };

export type State = {
  buckets: Map<string, BucketState>;
  uploads: Map<string, { upload: Upload; parts: Map<number, Part> }>;
  completions: Map<string, Completion>;
  /** Events that are not delivered yet, by sequencer. */
  events: Map<string, ObjectEvent>;
  lastSequencer: string;
};

export function emptyState(): State {
  return { buckets: new Map(), uploads: new Map(), completions: new Map(), events: new Map(), lastSequencer: '' };
}

export function bucketOf(state: State, name: string): BucketState {
  const known = state.buckets.get(name);
  if (known) return known;
  const objects: BucketState['objects'] = new Map();
  const bucket = { objects, keys: sortedKeys(() => objects.keys()) };
  state.buckets.set(name, bucket);
  return bucket;
}

export function findObject(state: State, bucket: string, key: string): StoredObject | undefined {
  return state.buckets.get(bucket)?.objects.get(toByteOrder(key));
}

function put(state: State, object: StoredObject): Blob[] {
  const { objects, keys } = bucketOf(state, object.bucket);
  const key = toByteOrder(object.key);
  const replaced = objects.get(key);
  objects.set(key, object);
  if (!replaced) keys.added(key);
  if (object.sequencer > state.lastSequencer) state.lastSequencer = object.sequencer;
  return replaced?.blobs ?? [];
}

function remove(state: State, bucketName: string, name: string): Blob[] {
  const { objects, keys } = bucketOf(state, bucketName);
  const key = toByteOrder(name);
  const removed = objects.get(key);
  if (objects.delete(key)) keys.removed(key);
  return removed?.blobs ?? [];
}

function endUpload(state: State, uploadId: string): Blob[] {
  const parts = [...(state.uploads.get(uploadId)?.parts.values() ?? [])];
  state.uploads.delete(uploadId);
  return parts.map((part) => part.blob);
}

/** Applies the change and returns the blobs that nothing refers to any more. */
export function applyChange(state: State, change: Change): Blob[] {
  switch (change.type) {
    case 'put': {
      if (change.event) state.events.set(change.event.sequencer, change.event);
      const freed = put(state, change.object);
      if (!change.completion) return freed;
      state.completions.set(change.completion.uploadId, change.completion);
      const kept = new Set(change.object.blobs.map((blob) => blob.id));
      return [...freed, ...endUpload(state, change.completion.uploadId).filter((blob) => !kept.has(blob.id))];
    }
    case 'delete':
      return change.keys.flatMap((key) => remove(state, change.bucket, key));
    case 'tag': {
      const object = findObject(state, change.bucket, change.key);
      if (object) bucketOf(state, change.bucket).objects.set(toByteOrder(change.key), { ...object, tags: change.tags });
      return [];
    }
    case 'upload':
      state.uploads.set(change.upload.id, { upload: change.upload, parts: new Map() });
      return [];
    case 'part': {
      const parts = state.uploads.get(change.uploadId)?.parts;
      if (!parts) return [change.part.blob];
      const replaced = parts.get(change.part.number);
      parts.set(change.part.number, change.part);
      return replaced ? [replaced.blob] : [];
    }
    case 'abort':
      return endUpload(state, change.uploadId);
    case 'completion':
      state.completions.set(change.completion.uploadId, change.completion);
      return [];
    case 'forget':
      state.completions.delete(change.uploadId);
      return [];
    case 'event':
      state.events.set(change.event.sequencer, change.event);
      return [];
    case 'delivered':
      state.events.delete(change.sequencer);
      return [];
  }
}

/** The changes that create this state from an empty one. */
export function changesOf(state: State): Change[] {
  const changes: Change[] = [];
  for (const { objects } of state.buckets.values()) {
    for (const object of objects.values()) changes.push({ type: 'put', object });
  }
  for (const { upload, parts } of state.uploads.values()) {
    changes.push({ type: 'upload', upload });
    for (const part of parts.values()) changes.push({ type: 'part', uploadId: upload.id, part });
  }
  for (const completion of state.completions.values()) changes.push({ type: 'completion', completion });
  for (const event of state.events.values()) changes.push({ type: 'event', event });
  return changes;
}

/** The blobs that objects and parts refer to, and their sizes. */
export function referencedBlobs(state: State): Map<string, number> {
  const named = new Map<string, number>();
  for (const { objects } of state.buckets.values()) {
    for (const { blobs } of objects.values()) for (const { id, sizeBytes } of blobs) named.set(id, sizeBytes);
  }
  for (const { parts } of state.uploads.values()) {
    for (const { blob } of parts.values()) named.set(blob.id, blob.sizeBytes);
  }
  return named;
}
