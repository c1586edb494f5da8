import { isUnreadableBody, unreadableLocalFile } from './local-file.ts';
import { checkStatus } from './store-fetch.ts';

type PutInput = { file: string; body: Blob; signal: AbortSignal; headers?: Record<string, string> };

/**
 * One PUT of `body`, which is `file` or a part of it. Returns the headers of the response. Throws what `checkStatus`
 * throws, and a JobError when the local file cannot be read, which a retry does not change.
 */
export async function putBody(url: string, { file, body, signal, headers = {} }: PutInput): Promise<Headers> {
  const request = { method: 'PUT', body, headers, redirect: 'error', signal } as const;
  const response = await fetch(url, request).catch((error: unknown) => {
    throw isUnreadableBody(error) ? unreadableLocalFile(file) : error;
  });
  await response.body?.cancel();
  checkStatus(response.status);
  return response.headers;
}
