import { lookup as systemLookup } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { checkedLookup, type Resolve } from '../../../shared/checked-lookup.ts';
import { responseOf } from '../../../shared/response-of.ts';
import { notPublic, type TargetRules, targetProblem } from '../../../shared/target-url.ts';

/** An attempt that got no response. The message is for the owner of the webhook. */
export class RequestFailed extends Error {
  override readonly name = 'RequestFailed';
}

export type HttpResponse = {
  httpStatus: number;
  retryAfter: string | undefined;
  /** at most `maxAnswerBytes` of it */
  body: Buffer;
};

type Sent = { headers: Readonly<Record<string, string>>; body: string; timeoutMilliseconds: number };

/** The rest of a response is not read: nothing in it decides. */
const maxResponseBytes = 64 * 1024;

/**
 * Sends a POST request to a URL of a user. The name is resolved once, all its addresses are checked, and the connection
 * uses one of them. Redirects are not followed, and no proxy is used.
 * @throws RequestFailed
 */
export async function postChecked(
  url: URL,
  sent: Sent,
  rules: TargetRules,
  resolve: Resolve = systemLookup,
): Promise<HttpResponse> {
  const problem = targetProblem(url, rules);
  if (problem !== undefined) throw new RequestFailed(problem.message);
  const deadline = createDeadline(sent.timeoutMilliseconds);
  try {
    const lookup = checkedLookup(rules.allowLoopback, () => new RequestFailed(notPublic), resolve);
    return await exchange(url, sent, lookup, deadline.signal);
  } catch (error) {
    throw deadline.signal.aborted ? deadline.failure : failureOf(error);
  } finally {
    deadline.end();
  }
}

type Lookup = ReturnType<typeof checkedLookup>;

async function exchange(url: URL, sent: Sent, lookup: Lookup, signal: AbortSignal): Promise<HttpResponse> {
  const secure = url.protocol === 'https:';
  const body = Buffer.from(sent.body);
  const request = (secure ? https : http).request(url, {
    method: 'POST',
    headers: { ...sent.headers, 'content-length': String(body.length), 'accept-encoding': 'identity' },
    // Of its own, so that neither the environment nor an earlier connection decides where it connects.
    agent: secure ? new https.Agent({ keepAlive: false }) : new http.Agent({ keepAlive: false }),
    lookup,
    signal,
  });
  request.end(body);
  const response = await responseOf(request);
  return {
    httpStatus: response.statusCode ?? 0,
    retryAfter: response.headers['retry-after'],
    body: await beginningOf(response),
  };
}

async function beginningOf(response: http.IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= maxResponseBytes) break;
    }
  } catch {
    // Once the status has arrived, it decides; what is missing of the body does not.
  }
  return Buffer.concat(chunks).subarray(0, maxResponseBytes);
}

function createDeadline(milliseconds: number) {
  const controller = new AbortController();
  const failure = new RequestFailed(`The endpoint did not answer within ${milliseconds / 1000} seconds.`);
  const timer = setTimeout(() => controller.abort(), milliseconds);
  return { signal: controller.signal, failure, end: () => clearTimeout(timer) };
}

/** The code of an error is a fixed word of Node; its message may have addresses. */
const failureOf = (error: unknown): RequestFailed => {
  if (error instanceof RequestFailed) return error;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOTFOUND' || code?.startsWith('EAI_'))
    return new RequestFailed('The host name could not be resolved.');
  return new RequestFailed(`The connection failed${code === undefined ? '' : ` (${code})`}.`);
};
