import { computed, effect, signal, untracked } from '@preact/signals';
import { UnreadableFileError } from '../../client/upload/unreadable-file-error.ts';
import { client } from '../api/client.ts';
import { isConnected } from '../api/connection.ts';
import { session } from '../api/current-user.ts';
import { preventReload } from '../layout/new-version.ts';
import { createUploadMemory, type UploadMemory } from './resumable.ts';
import {
  createItem,
  isOpen,
  startable,
  type UploadItem,
  type UploadSettings,
  withInterruption,
  withProgress,
} from './upload-item.ts';

/** Files at the same time. Each sends several parts. */
const maxConcurrentFiles = 2;
/** Until an upload that the store has interrupted continues. */
const interruptionMilliseconds = 5_000;

/** The uploads of this tab. They go on while the user visits other screens. */
export const uploads = signal<readonly UploadItem[]>([]);
export const openUploadCount = computed(() => uploads.value.filter(isOpen).length);

const aborts = new Map<string, AbortController>();

const memory = (): UploadMemory => createUploadMemory(localStorage, session.value?.ulid ?? '');
const find = (id: string): UploadItem | undefined => uploads.value.find((item) => item.id === id);

const change = (id: string, changes: Partial<UploadItem> | ((item: UploadItem) => UploadItem)): void => {
  uploads.value = uploads.value.map((item) =>
    item.id !== id ? item : typeof changes === 'function' ? changes(item) : { ...item, ...changes },
  );
};

export function addFiles(files: readonly File[], settings: UploadSettings): void {
  const open = new Set(uploads.value.filter(isOpen).map(({ started }) => started?.uploadId));
  const items = files.map((file) => {
    const started = memory().find(file, settings);
    // A file that is added again has a separate upload: to cancel one of them must not discard the other.
    if (started === undefined || open.has(started.uploadId)) return createItem(file, settings);
    open.add(started.uploadId);
    return createItem(file, settings, started);
  });
  uploads.value = [...uploads.value, ...items];
  startNext();
}

export function pause(id: string): void {
  change(id, { state: 'paused', samples: [] });
  aborts.get(id)?.abort();
  startNext();
}

/** Also of one that failed. */
export function resume(id: string): void {
  change(id, ({ error, fault, interruptions, ...item }) => ({ ...item, state: 'waiting' }));
  startNext();
}

/** Stops the upload and discards what was sent. */
export async function cancel(id: string): Promise<void> {
  const item = find(id);
  if (item === undefined) return;
  aborts.get(id)?.abort();
  uploads.value = uploads.value.filter((other) => other.id !== id);
  memory().forget(item.file, item);
  startNext();
  if (item.started && item.state !== 'stored') await client.abortUpload(item.started.uploadId);
}

/** Removes what is no longer open from the list. */
export function clearEnded(): void {
  uploads.value = uploads.value.filter(isOpen);
}

function startNext(): void {
  for (const { id } of startable(uploads.value, maxConcurrentFiles)) void send(id);
}

async function send(id: string): Promise<void> {
  const abort = new AbortController();
  aborts.set(id, abort);
  change(id, { state: 'uploading', samples: [] });
  const { file, template, clip, started } = find(id)!;
  let storedBytes: number | undefined;
  try {
    await client.upload(file, {
      filename: file.name,
      template,
      ...(clip && { clip }),
      signal: abort.signal,
      ...(started && { resume: started }),
      onStarted: (upload) => {
        memory().keep(file, { template, clip }, upload);
        change(id, { started: upload });
      },
      onProgress: ({ sentBytes }) => {
        // The first report is what the store has.
        storedBytes ??= sentBytes;
        change(id, (item) => withProgress(item, sentBytes, Date.now()));
      },
    });
    memory().forget(file, { template, clip });
    change(id, { state: 'stored', sentBytes: file.size });
  } catch (error) {
    if (abort.signal.aborted) return;
    // The other parts that are being sent would go on beside the next attempt.
    abort.abort();
    if (error instanceof UnreadableFileError) change(id, { state: 'failed', fault: 'unreadable' });
    else if (!(error instanceof TypeError)) change(id, { state: 'failed', error });
    else if (!isConnected.value) change(id, { state: 'interrupted' });
    else {
      change(id, (item) => withInterruption(item, storedBytes ?? 0));
      setTimeout(resumeInterrupted, interruptionMilliseconds);
    }
  } finally {
    if (aborts.get(id) === abort) aborts.delete(id);
    startNext();
  }
}

function resumeInterrupted(): void {
  if (!isConnected.value) return;
  uploads.value = uploads.value.map((item) => (item.state === 'interrupted' ? { ...item, state: 'waiting' } : item));
  startNext();
}

// A lost connection interrupts uploads; they go on when it is back.
effect(() => {
  if (isConnected.value) untracked(resumeInterrupted);
});

// The browser asks before it closes a page with open uploads, and a new version waits for them.
let allowReload: (() => void) | undefined;
const askBeforeUnload = (event: Event): void => event.preventDefault();
effect(() => {
  if (openUploadCount.value > 0 && allowReload === undefined) {
    allowReload = preventReload();
    addEventListener('beforeunload', askBeforeUnload);
  } else if (openUploadCount.value === 0 && allowReload !== undefined) {
    allowReload();
    allowReload = undefined;
    removeEventListener('beforeunload', askBeforeUnload);
  }
});

// The next user of this tab has nothing to do with the uploads of this one.
effect(() => {
  if (session.value !== null) return;
  for (const abort of aborts.values()) abort.abort();
  uploads.value = [];
});
