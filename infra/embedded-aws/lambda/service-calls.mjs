import http from 'node:http';
import { Readable, Writable } from 'node:stream';

/**
 * Carries the requests of a function to the embedded services as messages to the main thread instead of through sockets: the same signed requests,
 * checked there as those that come over HTTP. Functions and their AWS clients are unchanged. A call of HTTP takes several times the processor time.
 * @typedef {import('./runtime-messages.ts').ServiceCall} ServiceCall
 * @typedef {import('./runtime-messages.ts').ServiceAnswer} ServiceAnswer
 */

/**
 * @param {string} endpoint of the embedded services, without the object store
 * @param {(call: ServiceCall) => void} send
 * @returns {(answer: ServiceAnswer) => void} takes the answers
 */
export function interceptServiceCalls(endpoint, send) {
  const { hostname, port } = new URL(endpoint);
  /** @type {Map<number, ServiceRequest>} */
  const underWay = new Map();
  let lastId = 0;
  const plainRequest = http.request;

  /** @param {any[]} args */
  function request(...args) {
    const [options, onResponse] = args;
    const isServiceCall =
      options?.host === hostname &&
      String(options.port) === port &&
      options.method === 'POST' &&
      options.headers?.['x-amz-target'] !== undefined;
    if (!isServiceCall) return plainRequest.apply(http, /** @type {any} */ (args));
    lastId += 1;
    const callId = lastId;
    const { path, headers } = options;
    const carried = new ServiceRequest((body) => send({ callId, path, headers: rawHeadersOf(headers), body }));
    if (onResponse) carried.once('response', onResponse);
    underWay.set(callId, carried);
    carried.once('close', () => underWay.delete(callId));
    return carried;
  }
  http.request = /** @type {typeof http.request} */ (request);

  return ({ callId, ...answer }) => underWay.get(callId)?.receive(answer);
}

/** @param {Record<string, unknown>} headers */
const rawHeadersOf = (headers) => Object.entries(headers).flatMap(([name, value]) => [name, String(value)]);

/** As much of `http.ClientRequest` as AWS clients use. */
class ServiceRequest extends Writable {
  /** @type {(body: string) => void} */
  #send;
  /** @type {Buffer[]} */
  #chunks = [];

  /** @param {(body: string) => void} send */
  constructor(send) {
    // It closes with its answer, not with the end of its body: clients stop listening for aborts when it closes.
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
    // JSON, which is UTF-8: the text encodes to the bytes that were signed.
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
