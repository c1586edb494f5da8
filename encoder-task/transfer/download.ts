import { open } from 'node:fs/promises';
import type { JobFiles } from './job-files.ts';
import { checkStatus, type SignedUrl, storeFetch } from './store-fetch.ts';

const readAhead = 4;

/**
 * Writes the inputs `roles` into one file, in their order, and shows each to `onPart`. Segments are small, so each is held whole while the
 * ones before it are written.
 */
export async function downloadJoined(
  context: Pick<JobFiles, 'inputUrl'> & { signal: AbortSignal },
  roles: string[],
  path: string,
  onPart: (bytes: Buffer, index: number) => void,
): Promise<void> {
  const coming: Promise<Buffer>[] = [];
  let next = 0;
  const ask = (): void => {
    const role = roles[next++];
    if (role === undefined) return;
    const part = download((refused) => context.inputUrl(role, refused), context.signal);
    // a later part may fail while an earlier one is still awaited
    part.catch(() => undefined);
    coming.push(part);
  };
  for (let n = 0; n < readAhead; n++) ask();
  const file = await open(path, 'w');
  try {
    for (let index = 0; coming.length > 0; index++) {
      const bytes = await coming.shift()!;
      ask();
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
