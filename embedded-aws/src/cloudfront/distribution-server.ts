import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Meter } from '../account/meter.ts';
import type { ClientAddress } from '../http/client-address.ts';
import type { RequestHandler } from '../http/http-server.ts';
import { wildcard } from '../iam/wildcards.ts';
import type {
  BehaviourDefinition,
  DistributionDefinition,
  OriginDefinition,
} from '../template/distributions/read-distributions.ts';
import { createEdgeCache, ObjectReplaced } from './cache/edge-cache.ts';
import type { RunFunction } from './functions/function-runtime.ts';
import type { KeyValueReader } from './functions/runtime-modules.ts';
import type { Origin } from './origins/origin.ts';
import { openBehaviour } from './requests/edge-behaviour.ts';
import { type Outcome, respond } from './requests/respond.ts';
import { runViewerRequest } from './requests/run-viewer-request.ts';
import { type Sent, sendResponse } from './requests/send-response.ts';
import type { DistributionContext, Viewing } from './requests/viewing.ts';

export type RequestRecord = {
  startedAtMs: number;
  endedAtMs: number;
  request: IncomingMessage;
  requestId: string;
  status: number;
  address: string;
  port: number;
  sentBytes: number;
  outcome: Outcome;
  headers: Readonly<Record<string, string | string[]>>;
};

export type DistributionOptions = {
  definition: DistributionDefinition;
  originOf: (origin: OriginDefinition) => Origin;
  keyValueReader: (arn: string) => KeyValueReader;
  clientAddress: ClientAddress;
  /** Called when a response has ended. */
  onRequest?: (record: RequestRecord) => void;
  /** Lines that functions write, and failures of functions and origins. */
  log: (line: string) => void;
  maxCacheBytes?: number;
  now?: () => number;
  meter?: Meter | undefined;
};

/** Opens a CloudFront distribution of a template. */
export function createDistribution(options: DistributionOptions) {
  const {
    definition,
    originOf,
    keyValueReader,
    clientAddress,
    onRequest,
    log,
    maxCacheBytes,
    now = Date.now,
  } = options;
  const cache = createEdgeCache({ now, ...(maxCacheBytes !== undefined && { maxBytes: maxCacheBytes }) });
  const origins = new Map(definition.origins.map((one) => [one.id, { definition: one, origin: originOf(one) }]));
  const compiled = new Map<string, RunFunction>();
  const behaviourOf = createBehaviourMatcher(
    definition.behaviours.map((behaviour) => {
      const target = origins.get(behaviour.originId);
      if (!target) throw new Error(`The distribution has no origin ${behaviour.originId}.`);
      const opened = openBehaviour(behaviour, {
        origin: target.origin,
        errorSeconds: definition.errorSeconds,
        keyValueReader,
        log: (arn, line) => log(`${arn.split('/').at(-1)}: ${line}`),
        compiled,
        now,
        meter: options.meter,
      });
      return { ...opened, originDefinition: target.definition };
    }),
  );
  const context: DistributionContext = { cache, definition, log };

  const handle: RequestHandler = async (request, response) => {
    const startedAtMs = now();
    const sentBefore = request.socket.bytesWritten;
    const [path, query] = splitTarget(request.url!);
    const behaviour = behaviourOf(path);
    const address = clientAddress(request);
    const port = request.socket.remotePort ?? 0;
    const viewing = { request, behaviour, requestId: randomUUID(), path, query, address, port };
    const reply = await handleRequest(viewing, response);
    options.meter?.('edge requests', 1, behaviour.pathPattern);
    if (onRequest) {
      onRequest({
        startedAtMs,
        endedAtMs: now(),
        request,
        requestId: viewing.requestId,
        address,
        port,
        status: reply.status,
        outcome: reply.outcome,
        headers: reply.headers,
        sentBytes: request.socket.bytesWritten - sentBefore,
      });
    }
  };

  async function handleRequest(viewing: Viewing, response: ServerResponse): Promise<Sent> {
    const checked = await runViewerRequest(viewing, context);
    const send = async (): Promise<Sent> =>
      sendResponse(viewing, await respond(viewing, checked, context), response, context);
    try {
      return await send();
    } catch (error) {
      // The object was replaced between the look into the cache and the read of its bytes.
      if (!(error instanceof ObjectReplaced) || response.headersSent) throw error;
      return send();
    }
  }

  return { handle, close: cache.close, cache };
}

function splitTarget(target: string): [path: string, query: string] {
  const mark = target.indexOf('?');
  return mark < 0 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)];
}

/**
 * Finds the behaviour of a path: the first one whose pattern matches. Patterns are case-sensitive, and a slash at their
 * start may be missing.
 */
function createBehaviourMatcher<Behaviour extends Pick<BehaviourDefinition, 'pathPattern'>>(
  behaviours: readonly Behaviour[],
): (path: string) => Behaviour {
  const compiled = behaviours.map((behaviour) => {
    const { pathPattern: pattern } = behaviour;
    const matches = wildcard(pattern === '*' || pattern.startsWith('/') ? pattern : `/${pattern}`);
    return { behaviour, matches };
  });
  return (path) => {
    const found = compiled.find(({ matches }) => matches(path));
    if (!found) throw new Error('A distribution without a default behaviour.');
    return found.behaviour;
  };
}
