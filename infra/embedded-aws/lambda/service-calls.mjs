import http from 'node:http';
import { Readable, Writable } from 'node:stream';

/**
 * Sends the requests of a function to the embedded services as messages to the main thread instead of through sockets,
 * because HTTP takes several times the processor time. The main thread checks the signed requests as those over HTTP.
 * Functions and their AWS clients need no change.
 * @typedef {import('./runtime-messages.ts').ServiceCall} ServiceCall
 * @typedef {import('./runtime-messages.ts').ServiceAnswer} ServiceAnswer
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

  return ({ callId, ...answer }) => pending.get(callId)?.receive(answer);
}

/** @param {Record<string, unknown>} headers */
const rawHeadersOf = (headers) => Object.entries(headers).flatMap(([name, value]) => [name, String(value)]);

/** The part of `http.ClientRequest` that AWS clients use. */
class ServiceRequest extends Writable {
  /** @type {(body: string) => void} */
  #send;
  /** @type {Buffer[]} */
  #chunks = [];

  /** @param {(body: string) => void} send */
  constructor(send) {
    // It is closed with the response, not with the end of the body, because clients remove their abort listeners when
    // it closes.
    super({ autoDestroy: false });
    this.#send = send;
  }

  /**
   * @override
   * @param {Buffer} chunk
   * @param {string} _encoding
   * @param {() => void} done
   */
  _write(chunk, _encoding, done) {
    this.#chunks.push(chunk);
    done();
  }

  /**
   * @override
   * @param {() => void} done
   */
  _final(done) {
    // The body is JSON in UTF-8, so the text encodes to the bytes that were signed.
    this.#send(Buffer.concat(this.#chunks).toString('utf8'));
    done();
  }

  /** @param {Omit<ServiceAnswer, 'callId'>} answer */
  receive({ statusCode, headers, body }) {
    const response = new Readable({ read() {} });
    response.push(body, 'utf8');
    response.push(null);
    this.emit(
      'response',
      Object.assign(response, { statusCode, statusMessage: http.STATUS_CODES[statusCode], headers }),
    );
    this.destroy();
  }
}
