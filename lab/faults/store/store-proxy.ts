import { Agent, createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '../../../local/server/listen.ts';
import { expiredRefusals, invalidRefusals, refusalsOf } from './refusal.ts';
import { isForStore, type StoreCall, storeCallOf } from './store-call.ts';
import type { StoreFault } from './store-fault.ts';

export type StoreProxy = {
  url: string;
  /**
   * Sets the fate of calls until the returned function is called; undefined lets a call pass. The first match applies.
   */
  disturb(decide: Decide): () => void;
  close(): Promise<void>;
};

/** Upstream addresses: object store, and all other services. */
export type Upstream = { store: string; control: string };

export type Decide = (call: StoreCall) => StoreFault | undefined;

/**
 * A proxy in front of the embedded AWS that loses calls and responses. Calls keep their Host header, so signatures for
 * the address of the proxy stay valid.
 *
 * @param upstream the target address; while it throws, connections break
 */
export async function openStoreProxy(upstream: () => Upstream): Promise<StoreProxy> {
  const agent = new Agent({ keepAlive: true });
  let refused = 0;
  const deciders = new Set<Decide>();

  const refuse = (response: ServerResponse, all: ReturnType<typeof refusalsOf>): void => {
    const { status, headers, body } = all[refused++ % all.length]!;
    response.writeHead(status, headers).end(body);
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body: Buffer | undefined;
    const call = await storeCallOf(request, async () => {
      body = await drained(request);
      return body.toString();
    });
    const fault = call && firstOf(deciders, call);
    const forward = (): Promise<IncomingMessage> => sent(request, body);
    if (!fault || !call) return pass(await forward(), response);
    switch (fault.kind) {
      case 'slow':
        await sleep(fault.delayMs);
        return pass(await forward(), response);
      case 'late': {
        const reply = await forward();
        await sleep(fault.delayMs);
        return pass(reply, response);
      }
      case 'truncated':
        return passHalf(await forward(), response);
      case 'expired':
        request.resume();
        return refuse(response, expiredRefusals);
      case 'invalid':
        return refuse(response, invalidRefusals);
      case 'cut':
        if (fault.happened) await drained(await forward());
        return void response.destroy();
      case 'refused':
        if (fault.happened) await drained(await forward());
        else request.resume();
        return refuse(response, refusalsOf(call.service, fault));
    }
  }

  /** @param body of the request, already read */
  function sent(request: IncomingMessage, body: Buffer | undefined): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const options = { method: request.method!, headers: request.headers, agent };
    const { store, control } = upstream();
    const url = new URL(request.url!, isForStore(request) ? store : control);
    const onward = send(url, options, resolve).once('error', reject);
    if (body) onward.end(body);
    else request.once('error', reject).pipe(onward);
    return promise;
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 65_000;
  server.requestTimeout = 0;
  const url = `http://127.0.0.1:${await listen(server, 0)}`;
  return {
    url,
    disturb(decide) {
      deciders.add(decide);
      return () => void deciders.delete(decide);
    },
    async close() {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function firstOf(deciders: Iterable<Decide>, call: StoreCall): StoreFault | undefined {
  for (const decide of deciders) {
    const fault = decide(call);
    if (fault) return fault;
  }
  return undefined;
}

function pass(reply: IncomingMessage, response: ServerResponse): void {
  response.writeHead(reply.statusCode!, reply.headers);
  reply.once('error', () => response.destroy()).pipe(response);
}

/** Sends the headers and half of the body, then closes the connection. */
async function passHalf(reply: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await drained(reply);
  response.writeHead(reply.statusCode!, { ...reply.headers, 'content-length': Math.max(1, body.length) });
  response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.destroy());
}

async function drained(reply: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of reply) chunks.push(chunk);
  return Buffer.concat(chunks);
}
