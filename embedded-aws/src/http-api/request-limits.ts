import type { IncomingMessage } from 'node:http';
import { type Answer, headersTooLarge, targetTooLong } from './http-api-response.ts';

/**
 * Total size of the request line and the values of the headers.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
 */
const maxHeadBytes = 10_240;

/** The response to a request whose head is too large. Undefined for any other request. */
export function headProblem({ method, url, httpVersion, rawHeaders }: IncomingMessage): Answer | undefined {
  const lineBytes = `${method} ${url} HTTP/${httpVersion}`.length;
  if (lineBytes > maxHeadBytes) return targetTooLong;
  let bytes = lineBytes;
  for (let index = 1; index < rawHeaders.length; index += 2) bytes += rawHeaders[index]!.length;
  return bytes > maxHeadBytes ? headersTooLarge : undefined;
}
