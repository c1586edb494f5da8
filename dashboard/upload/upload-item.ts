import type { StartedUpload } from '../../client/upload/upload-file.ts';

export type UploadState =
  /** for a free place */
  | 'waiting'
  | 'uploading'
  | 'paused'
  /** The connection is lost; it goes on by itself. */
  | 'interrupted'
  /** The service turns it into a video. */
  | 'stored'
  | 'failed';

export type UploadFault =
  /** The file was changed, moved or deleted. */
  | 'unreadable'
  /** The object store takes no parts, although the service answers. */
  | 'unreachable';

/** The part of a file that becomes the video. */
export type Clip = { start_seconds?: number; end_seconds?: number };

/** How a file becomes a video. */
export type UploadSettings = {
  /** ULID of the template */
  template: string;
  clip?: Clip | undefined;
};

export type UploadItem = UploadSettings & {
  id: string;
  file: File;
  state: UploadState;
  sentBytes: number;
  /** when which amount was sent: the last seconds, for the speed */
  samples: readonly Sample[];
  /** once it was started: what continues it */
  started?: StartedUpload;
  /** Why it failed: an error of the service, or a fault. */
  error?: unknown;
  fault?: UploadFault;
  /** Attempts in a row that the store interrupted, and what it had at the start of each of them. */
  interruptions?: { count: number; storedBytes: number };
};

type Sample = { atMilliseconds: number; sentBytes: number };

const windowMilliseconds = 10_000;

/** Each of them sends a part several times. */
const maxInterruptions = 3;

export const createItem = (file: File, { template, clip }: UploadSettings, started?: StartedUpload): UploadItem => ({
  id: crypto.randomUUID(),
  file,
  template,
  ...(clip && { clip }),
  state: 'waiting',
  sentBytes: 0,
  samples: [],
  ...(started && { started }),
});

/** The item after progress was reported. */
export const withProgress = (item: UploadItem, sentBytes: number, atMilliseconds: number): UploadItem => ({
  ...item,
  sentBytes,
  samples: [
    ...item.samples.filter((sample) => sample.atMilliseconds > atMilliseconds - windowMilliseconds),
    { atMilliseconds, sentBytes },
  ],
});

/**
 * The item after the store took no more parts, although the service answers. It continues, until a few attempts in a
 * row have stored nothing: a firewall, for example, would interrupt it forever.
 * @param storedBytes what the store had at the start of the attempt
 */
export function withInterruption(item: UploadItem, storedBytes: number): UploadItem {
  const { interruptions } = item;
  const count = interruptions?.storedBytes === storedBytes ? interruptions.count + 1 : 1;
  if (count >= maxInterruptions) return { ...item, state: 'failed', fault: 'unreachable' };
  return { ...item, state: 'interrupted', interruptions: { count, storedBytes } };
}

/** Over the last seconds; undefined until it can be said. */
export function bytesPerSecond({ samples, state }: UploadItem): number | undefined {
  const [first, last] = [samples[0], samples.at(-1)];
  if (state !== 'uploading' || !first || !last || last.atMilliseconds - first.atMilliseconds < 1000) return undefined;
  const speed = ((last.sentBytes - first.sentBytes) / (last.atMilliseconds - first.atMilliseconds)) * 1000;
  return speed > 0 ? speed : undefined;
}

export function secondsLeft(item: UploadItem): number | undefined {
  const speed = bytesPerSecond(item);
  return speed === undefined ? undefined : (item.file.size - item.sentBytes) / speed;
}

/** The first waiting items for which there is room. */
export function startable(items: readonly UploadItem[], maxConcurrent: number): UploadItem[] {
  const running = items.filter(({ state }) => state === 'uploading').length;
  return items.filter(({ state }) => state === 'waiting').slice(0, Math.max(0, maxConcurrent - running));
}

export const isOpen = ({ state }: UploadItem): boolean =>
  state === 'waiting' || state === 'uploading' || state === 'paused' || state === 'interrupted';
