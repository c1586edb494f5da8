import { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';

/**
 * An import would evaluate all exports, one of which loads undici. That would take a quarter of the start of an
 * instance.
 * @type {typeof import('node:http')}
 */
const http = createRequire(import.meta.url)('node:http');

/**
 * Sends the requests of a function to the embedded services as messages to the main thread instead of through sockets,
 * because HTTP takes several times the processor time. The main thread checks the signed requests as those over HTTP.
 * Functions and their AWS clients need no change.
 * @typedef {import('./runtime-messages.ts').ServiceCall} ServiceCall
 * @typedef {import('./runtime-messages.ts').ServiceResult} ServiceAnswer
 */

/**
 * @param {string} endpoint of the embedded services, without the object store
 * @param {(call: ServiceCall) => void} send
 * @returns {(answer: ServiceAnswer) => void} accepts the answers
 */
export function interceptServiceCalls(endpoint, send) {
  const { hostname, port } = new URL(endpoint);
  /** @type {Map<number, ServiceRequest>} */
  const pending = new Map();
  let lastId = 0;
  const plainRequest = http.request;

  /** @param {any[]} args */
  function request(...args) {
    const [options, onResponse] = args;
    const { host, method = 'GET', headers: sent } = options ?? {};
    const isTargeted = host === hostname && method === 'POST' && sent?.['x-amz-target'] !== undefined;
    // Clients of a key-value store put the account before the host name, and not every system resolves that.
    const isServiceCall = String(options?.port) === port && (isTargeted || String(host).endsWith('.localhost'));
    if (!isServiceCall) return plainRequest.apply(http, /** @type {any} */ (args));
    lastId += 1;
    const callId = lastId;
    const { path, headers } = options;
    const serviceRequest = new ServiceRequest((body) =>
      send({ callId, method, path, headers: rawHeadersOf(headers), body }),
    );
    if (onResponse) serviceRequest.once('response', onResponse);
    pending.set(callId, serviceRequest);
    serviceRequest.once('close', () => pending.delete(callId));
    return serviceRequest;
  }
  http.request = /** @type {typeof http.request} */ (request);

  return ({ callId, ...result }) => pending.get(callId)?.receive(result);
}

/** @param {Record<string, unknown>} headers */
const rawHeadersOf = (headers) => Object.entries(headers).flatMap(([name, value]) => [name, String(value)]);

/** The part of `http.ClientRequest` that AWS clients use. A stream would take several times the processor time. */
class ServiceRequest extends EventEmitter {
  /** @type {(body: string) => void} */
  #send;
  destroyed = false;

  /** @param {(body: string) => void} send */
  constructor(send) {
    super();
    this.#send = send;
  }

  /**
   * Sends the request. The body is JSON in UTF-8, so the text encodes to the bytes that were signed.
   * @param {Buffer | string} body
   */
  end(body = '') {
    this.#send(body.toString());
    return this;
  }

  /** Clients remove their abort listeners when the request closes. */
  destroy() {
    if (this.destroyed) return this;
    this.destroyed = true;
    this.emit('close');
    return this;
  }

  /**
   * Clients also accept bytes as the body of a response, which they need not collect.
   * @param {Omit<ServiceAnswer, 'callId'>} answer
   */
  receive({ statusCode, headers, body }) {
    const statusMessage = http.STATUS_CODES[statusCode];
    this.emit('response', Object.assign(Buffer.from(body, 'utf8'), { statusCode, statusMessage, headers }));
    this.destroy();
  }
}
