import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, request, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { listen } from '../../../local/server/listen.ts';
import { bundleUppy } from './bundle.ts';
import { callName } from './call-name.ts';
import { sourceBytes } from './source-bytes.ts';

type Answer = { status: number; headers: OutgoingHttpHeaders; body: Buffer | string };

/** How one call is handled, named as in `callName`. `real` forwards it to the API. */
type Fault = { call: string; answer: (real: () => Promise<Answer>, origin: string | undefined) => Promise<Answer> };

export type Site = {
  /** pages and API share an origin */
  origin: string;
  /** the same pages under another name, so that the API is another origin */
  otherOrigin: string;
  /** The response to the next such call, instead of the API's. */
  fail(call: string, status: number): void;
  /** The API executes the next such call, but its response is lost: a gateway answers 503 without CORS headers. */
  lose(call: string): void;
  /** Changes the body of the next such response. */
  change(call: string, edit: (body: string) => string): void;
  close(): Promise<void>;
};

const html = 'text/html; charset=utf-8';
const script = 'text/javascript; charset=utf-8';

/** A reverse proxy in front of the API that also serves pages with Uppy and injects faults. */
export async function openSite(apiUrl: string): Promise<Site> {
  const faults: Fault[] = [];
  const pages: Record<string, { type: string; body: Uint8Array | string }> = {
    '/': { type: html, body: '<!doctype html><title>Site</title><link rel="icon" href="data:,">' },
    '/page': { type: html, body: await readFile(join(import.meta.dirname, 'page.html')) },
    '/readme-example.js': { type: script, body: await documentedExample() },
    '/uppy-5.js': { type: script, body: await bundleUppy(5) },
    '/uppy-6.js': { type: script, body: await bundleUppy(6) },
  };

  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname } = new URL(incoming.url!, origin);
    const page = pages[pathname];
    if (page) return void response.writeHead(200, { 'content-type': page.type }).end(page.body);
    const [, size] = /^\/bytes\/(\d+)$/.exec(pathname) ?? [];
    if (size) return void response.end(sourceBytes(Number(size)));

    const name = callName(incoming.method!, origin + incoming.url, [origin]);
    const index = faults.findIndex(({ call }) => call === name);
    const [fault] = index < 0 ? [] : faults.splice(index, 1);
    const real = () => forward(apiUrl, incoming);
    const { status, headers, body } = await (fault ? fault.answer(real, incoming.headers.origin) : real());
    response.writeHead(status, headers).end(body);
  };
  // When the API closes the connection, this proxy does too.
  const server = createServer((incoming, response) => void serve(incoming, response).catch(() => response.destroy()));
  const port = await listen(server, 0);
  const origin = `http://127.0.0.1:${port}`;

  return {
    origin,
    otherOrigin: `http://localhost:${port}`,
    fail(call, status) {
      faults.push({ call, answer: async (_, from) => ({ ...answerOf(status), headers: readableBy(from) }) });
    },
    lose(call) {
      faults.push({ call, answer: async (real) => real().then(() => answerOf(503)) });
    },
    change(call, edit) {
      const answer: Fault['answer'] = async (real) => {
        const { status, headers, body } = await real();
        const { 'content-length': _, ...others } = headers;
        return { status, headers: others, body: edit(body.toString()) };
      };
      faults.push({ call, answer });
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function forward(apiUrl: string, incoming: IncomingMessage): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const { method, headers } = incoming;
  const outgoing = request(`${apiUrl}${incoming.url}`, { method, headers }, async (answer) => {
    resolve({ status: answer.statusCode!, headers: answer.headers, body: await buffer(answer) });
  });
  outgoing.once('error', reject);
  incoming.pipe(outgoing);
  return promise;
}

const answerOf = (status: number): Answer => ({ status, headers: {}, body: '{"message":"Not this time."}' });
const readableBy = (origin: string | undefined): OutgoingHttpHeaders =>
  origin === undefined ? {} : { 'access-control-allow-origin': origin };

/** The code for Uppy 4 and 5 in docs/uploads.md, unchanged. */
async function documentedExample(): Promise<string> {
  const page = await readFile(join(import.meta.dirname, '../../../docs/uploads.md'), 'utf8');
  const [, example] = /^## Uppy$.*?^```js$(.*?)^```$/ms.exec(page) ?? [];
  if (!example) throw new Error('docs/uploads.md has no example for Uppy');
  return example;
}
