import { isUnreadableBody, unreadableLocalFile } from './local-file.ts';
import { checkStatus } from './store-fetch.ts';

/**
 * One PUT of `body`, which is `file` or a part of it. Returns the headers of the response. Throws what `checkStatus`
 * throws, and a JobError when the local file cannot be read, which a retry does not change.
 */
export async function putBody(
  url: string,
  { file, body, signal }: { file: string; body: Blob; signal: AbortSignal },
): Promise<Headers> {
  const response = await fetch(url, { method: 'PUT', body, redirect: 'error', signal }).catch((error: unknown) => {
    throw isUnreadableBody(error) ? unreadableLocalFile(file) : error;
  });
  await response.body?.cancel();
  checkStatus(response.status);
  return response.headers;
}
