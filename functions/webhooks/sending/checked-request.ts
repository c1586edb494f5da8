import { promises as dns, type LookupAddress } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { responseOf } from '../../../shared/response-of.ts';
import { addressOfHost, addressProblem, type TargetRules, targetProblem } from '../../../shared/target-url.ts';

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

/** All addresses of a name. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

/** The rest of a response is not read: nothing in it decides. */
const maxResponseBytes = 64 * 1024;

const resolveName: Resolve = (hostname) => dns.lookup(hostname, { all: true, verbatim: true });

/**
 * Sends a POST request to a URL of a user. The name is resolved once, all its addresses are checked, and the connection
 * uses one of them. Redirects are not followed, and no proxy is used.
 * @throws RequestFailed
 */
export async function postChecked(
  url: URL,
  sent: Sent,
  rules: TargetRules,
  resolve: Resolve = resolveName,
): Promise<HttpResponse> {
  const problem = targetProblem(url, rules);
  if (problem !== undefined) throw new RequestFailed(problem.message);
  const deadline = createDeadline(sent.timeoutMilliseconds);
  try {
    const addresses = await Promise.race([checkedAddresses(url, rules, resolve), deadline.passed]);
    return await exchange(url, sent, addresses, deadline.signal);
  } catch (error) {
    throw deadline.signal.aborted ? deadline.failure : failureOf(error);
  } finally {
    deadline.end();
  }
}

/** The addresses of the host; empty when the URL has an address, which has been checked. */
async function checkedAddresses(url: URL, rules: TargetRules, resolve: Resolve): Promise<LookupAddress[]> {
  if (addressOfHost(url) !== undefined) return [];
  const addresses = await resolve(url.hostname).catch(() => []);
  if (addresses.length === 0) throw new RequestFailed('The host name could not be resolved.');
  for (const { address } of addresses) {
    const problem = addressProblem(address, rules);
    if (problem !== undefined) throw new RequestFailed(problem.message);
  }
  return addresses;
}

async function exchange(url: URL, sent: Sent, addresses: LookupAddress[], signal: AbortSignal): Promise<HttpResponse> {
  const secure = url.protocol === 'https:';
  const body = Buffer.from(sent.body);
  const request = (secure ? https : http).request(url, {
    method: 'POST',
    headers: { ...sent.headers, 'content-length': String(body.length), 'accept-encoding': 'identity' },
    // Of its own, so that neither the environment nor an earlier connection decides where it connects.
    agent: secure ? new https.Agent({ keepAlive: false }) : new http.Agent({ keepAlive: false }),
    lookup: resolveTo(addresses),
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

/** Answers a connection's look-up with the addresses that were checked. */
const resolveTo =
  (addresses: LookupAddress[]): LookupFunction =>
  (_hostname, { all }, callback) => {
    const [first] = addresses;
    if (!first) callback(new Error('no address was checked'), '', 0);
    else if (all) callback(null, addresses);
    else callback(null, first.address, first.family);
  };

function createDeadline(milliseconds: number) {
  const controller = new AbortController();
  const failure = new RequestFailed(`The endpoint did not answer within ${milliseconds / 1000} seconds.`);
  const { promise: passed, reject } = Promise.withResolvers<never>();
  passed.catch(() => undefined);
  const timer = setTimeout(() => {
    controller.abort();
    reject(failure);
  }, milliseconds);
  return { signal: controller.signal, passed, failure, end: () => clearTimeout(timer) };
}

/** The code of an error is a fixed word of Node; its message may have addresses. */
const failureOf = (error: unknown): RequestFailed => {
  if (error instanceof RequestFailed) return error;
  const { code } = error as NodeJS.ErrnoException;
  return new RequestFailed(`The connection failed${code === undefined ? '' : ` (${code})`}.`);
};
