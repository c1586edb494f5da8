import type { Store } from './object-store.ts';

const dayMs = 24 * 3600 * 1000;
const completionRetentionMs = dayMs;

export type LifecycleResult = { abortedUploads: number; expiredObjects: number };

/** Applies the lifecycle rules of the buckets, and removes the records of completed uploads after a day. */
export async function applyLifecycle(store: Store, now: Date): Promise<LifecycleResult> {
  const result = { abortedUploads: 0, expiredObjects: 0 };
  const before = (days: number) => now.getTime() - days * dayMs;

  for (const { name, lifecycle } of store.buckets.values()) {
    const { abortIncompleteMultipartDays: abortDays, expire = [] } = lifecycle ?? {};
    for (const { upload } of [...store.state.uploads.values()]) {
      if (abortDays === undefined || upload.bucket !== name || upload.initiatedMs > before(abortDays)) continue;
      await store.commit({ type: 'abort', uploadId: upload.id });
      result.abortedUploads += 1;
    }
    const expired = [...(store.state.buckets.get(name)?.objects.values() ?? [])].filter((object) =>
      expire.some(({ prefix, days }) => object.key.startsWith(prefix) && object.modifiedMs <= before(days)),
    );
    if (expired.length > 0) {
      await store.commit({ type: 'delete', bucket: name, keys: expired.map((object) => object.key) });
      result.expiredObjects += expired.length;
    }
  }
  for (const { uploadId, completedMs } of [...store.state.completions.values()]) {
    if (completedMs <= now.getTime() - completionRetentionMs) await store.commit({ type: 'forget', uploadId });
  }
  return result;
}
