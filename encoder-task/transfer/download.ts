import { open } from 'node:fs/promises';
import type { JobFiles } from './job-files.ts';
import { checkStatus, type SignedUrl, storeFetch } from './store-fetch.ts';

const prefetchedParts = 4;

/**
 * Writes the inputs `roles` into one file, in this order, and passes each to `onPart`. Segments are small enough to be
 * buffered while earlier ones are written.
 */
export async function downloadJoined(
  context: Pick<JobFiles, 'inputUrl'> & { signal: AbortSignal },
  roles: string[],
  path: string,
  onPart: (bytes: Buffer, index: number) => void,
): Promise<void> {
  const pending: Promise<Buffer>[] = [];
  let next = 0;
  const fetchNext = (): void => {
    const role = roles[next++];
    if (role === undefined) return;
    const part = download((rejected) => context.inputUrl(role, rejected), context.signal);
    // a later part may fail while an earlier one is awaited
    part.catch(() => undefined);
    pending.push(part);
  };
  for (let n = 0; n < prefetchedParts; n++) fetchNext();
  const file = await open(path, 'w');
  try {
    for (let index = 0; pending.length > 0; index++) {
      const bytes = await pending.shift()!;
      fetchNext();
      onPart(bytes, index);
      await file.writeFile(bytes);
    }
  } finally {
    await file.close();
  }
}

const download = (urlOf: SignedUrl, signal: AbortSignal): Promise<Buffer> =>
  storeFetch(urlOf, signal, async (url) => {
    const response = await fetch(url, { headers: { 'accept-encoding': 'identity' }, redirect: 'error', signal });
    checkStatus(response.status);
    return Buffer.from(await response.arrayBuffer());
  });
