import { existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openJournal } from '../../durable/change-journal.ts';
import { DamagedData } from '../../durable/damaged-data.ts';
import type { BucketSettings, ObjectEvent, S3Options } from '../protocol/bucket-settings.ts';
import { type Blobs, openBlobs } from './blobs.ts';
import { applyChange, type Change, changesOf, emptyState, referencedBlobs, type State } from './bucket-state.ts';

export type Store = {
  state: State;
  blobs: Blobs;
  buckets: Map<string, BucketSettings>;
  now: () => Date;
  /**
   * Changes the state synchronously, so that conditions checked right before still hold. Resolves when the change is on
   * the disk. After that its event is delivered. If it cannot be written, it is part of the state that is written when
   * that is possible again.
   */
  commit(change: Change): Promise<void>;
  /** False while a change could not be written. The state must then not be used for responses. */
  isWritable: () => boolean;
  /** Returns a value greater than all earlier ones, also over restarts. */
  nextSequencer(): string;
  close(): Promise<void>;
};

/** Opens the folder and restores the state after the last change on the disk. */
export async function openStore(options: S3Options): Promise<Store> {
  const now = options.now ?? (() => new Date());
  await mkdir(options.folder, { recursive: true });
  const blobsFolder = join(options.folder, 'blobs');
  const path = join(options.folder, 'journal');
  if (!existsSync(path) && existsSync(blobsFolder) && (await readdir(blobsFolder)).length > 0) {
    throw new DamagedData(path, 'is missing.');
  }
  await rm(`${path}.new`, { force: true });
  const state = emptyState();
  const journal = await openJournal({
    path,
    replay: (change) => applyChange(state, change as Change),
    snapshot: () => changesOf(state),
  });
  const blobs = await openBlobs(blobsFolder);
  await blobs.removeUnreferenced(referencedBlobs(state));

  const eventDelivery = openEventDelivery(options.onObjectCreated, (event) => {
    const change: Change = { type: 'delivered', sequencer: event.sequencer };
    applyChange(state, change);
    return journal.append(change, { lazy: true }).catch(() => {}); // closed in the meantime: the event is delivered again after a restart
  });
  for (const event of state.events.values()) eventDelivery.deliver(event);

  let lastSequence = Number.parseInt(state.lastSequencer || '0', 16);

  return {
    state,
    blobs,
    buckets: new Map(options.buckets.map((bucket) => [bucket.name, bucket])),
    now,
    async commit(change) {
      const freed = applyChange(state, change);
      const followUp = (): void => {
        blobs.remove(freed.map((blob) => blob.id));
        if (change.type === 'put' && change.event) eventDelivery.deliver(change.event);
      };
      try {
        await journal.append(change);
      } catch (error) {
        void journal.whenWritable().then(followUp, () => {}); // closed: a restart removes blobs and delivers events
        throw error;
      }
      followUp();
    },
    isWritable: journal.isWritable,
    nextSequencer() {
      lastSequence = Math.max(lastSequence + 1, now().getTime() * 4096);
      return lastSequence.toString(16).toUpperCase().padStart(16, '0');
    },
    async close() {
      eventDelivery.close();
      await journal.close();
      await blobs.close();
    },
  };
}

const firstRetryMs = 100;
const maxRetryMs = 10_000;

/** Delivers each event until it is accepted. Events are independent: a rejected one does not delay others. */
function openEventDelivery(
  onObjectCreated: S3Options['onObjectCreated'],
  delivered: (event: ObjectEvent) => Promise<void>,
): { deliver(event: ObjectEvent): void; close(): void } {
  const closing = new AbortController();

  async function deliverUntilAccepted(event: ObjectEvent): Promise<void> {
    for (let retryMs = firstRetryMs; ; retryMs = Math.min(2 * retryMs, maxRetryMs)) {
      if (closing.signal.aborted) return;
      try {
        await onObjectCreated(event);
        return await delivered(event);
      } catch {
        await delay(retryMs, undefined, { signal: closing.signal, ref: false }).catch(() => {});
      }
    }
  }

  return {
    deliver(event) {
      setImmediate(() => void deliverUntilAccepted(event));
    },
    close: () => closing.abort(),
  };
}
