import { isUnreadableBody, unreadableFile } from './local-file.ts';
import { checkStatus } from './store-fetch.ts';

/**
 * One PUT of `body`, the bytes of `file` or a part of them, and the headers of its answer. Throws what `checkStatus` throws, and a JobError when the
 * local file could not be read, which no other try can help.
 */
export async function putBody(
  url: string,
  { file, body, signal }: { file: string; body: Blob; signal: AbortSignal },
): Promise<Headers> {
  const response = await fetch(url, { method: 'PUT', body, redirect: 'error', signal }).catch((error: unknown) => {
    throw isUnreadableBody(error) ? unreadableFile(file) : error;
  });
  await response.body?.cancel();
  checkStatus(response.status);
  return response.headers;
}
