import { lookup as systemLookup } from 'node:dns';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { checkedLookup, type Resolve } from '../../shared/checked-lookup.ts';
import { JobError } from '../../shared/protocol/job-errors.ts';
import { responseOf } from '../../shared/response-of.ts';
import { targetProblem, targetSchemes } from '../../shared/target-url.ts';
import { Interrupted, unreachable } from './failures.ts';

const maxRedirects = 5;
const headerTimeoutMs = 30_000;
const redirectStatuses = [301, 302, 303, 307, 308];

export type SourceResponse = { response: IncomingMessage; url: URL };

/** Requests to the server of a source, over connections that are kept. */
export type SourceClient = {
  /** follows redirects; `url` of the response is the last one */
  get: (url: URL, headers: Record<string, string>, signal: AbortSignal) => Promise<SourceResponse>;
  close: () => void;
};

type Options = {
  allowLoopback: boolean;
  connections: number;
  /** a redirect is a response like others */
  keepsRedirects?: boolean;
  resolve?: Resolve;
};

export function createSourceClient({
  allowLoopback,
  connections,
  keepsRedirects = false,
  resolve = systemLookup,
}: Options): SourceClient {
  const options = {
    keepAlive: true,
    maxSockets: connections,
    lookup: checkedLookup(allowLoopback, refusedAddress, resolve),
  };
  const protocols = {
    'http:': { request: http.request, agent: new http.Agent(options) },
    'https:': { request: https.request, agent: new https.Agent(options) },
  };

  const send = async (url: URL, headers: Record<string, string>, signal: AbortSignal): Promise<IncomingMessage> => {
    const protocol = protocols[url.protocol as keyof typeof protocols];
    // The lookup is not called for an address in the URL.
    if (
      !protocol ||
      targetProblem(withoutCredentials(url), { schemes: targetSchemes.ingest, allowLoopback }) !== undefined
    ) {
      throw refusedAddress();
    }
    // Ranges of a compressed file would be other bytes.
    const asked = { 'accept-encoding': 'identity', 'user-agent': 'video-service', ...headers };
    const request = protocol.request(url, { agent: protocol.agent, signal, headers: asked }).end();
    const timer = setTimeout(
      () => request.destroy(new Interrupted('the server did not answer in time')),
      headerTimeoutMs,
    );
    try {
      return await responseOf(request);
    } catch (error) {
      // Another request would get the same headers.
      const isTooLarge = (error as NodeJS.ErrnoException).code === 'HPE_HEADER_OVERFLOW';
      throw isTooLarge ? unreachable('the headers of its response are larger than 16 KiB') : error;
    } finally {
      clearTimeout(timer);
    }
  };

  return {
    get: async (url, headers, signal) => {
      let current = url;
      for (let redirects = 0; ; redirects++) {
        const response = await send(current, headers, signal);
        const { location } = response.headers;
        if (keepsRedirects || !redirectStatuses.includes(response.statusCode ?? 0)) return { response, url: current };
        response.destroy();
        if (location === undefined) throw unreachable('it answered with a redirect without an address');
        if (redirects === maxRedirects) throw unreachable(`it redirects more than ${maxRedirects} times`);
        current = redirected(current, location);
      }
    },
    close: () => {
      for (const { agent } of Object.values(protocols)) agent.destroy();
    },
  };
}

function withoutCredentials(url: URL): URL {
  const copy = new URL(url.href);
  copy.username = '';
  copy.password = '';
  return copy;
}

/** User name and password go to the server of the URL only. */
function redirected(from: URL, location: string): URL {
  const to = URL.parse(location, from.href);
  if (!to) throw unreachable('it answered with a redirect to an invalid address');
  const credentials = to.origin === from.origin ? from : { username: '', password: '' };
  to.username = credentials.username;
  to.password = credentials.password;
  return to;
}

const refusedAddress = (): JobError =>
  new JobError(
    'INPUT_ADDRESS',
    'The URL, or a redirect of its server, leads to an address that is not public, or is not http or https. Use a URL that anyone on the Internet can reach.',
  );
