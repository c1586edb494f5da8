import type { IncomingMessage } from 'node:http';
import { S3Client } from '@aws-sdk/client-s3';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { requestEvent } from 'embedded-aws/testing';
import { publishedRoutes } from '../../../functions/contracts/published-routes.ts';
import { lambdaContext } from '../../../test/fixtures/call-handler.ts';
import { createPerson } from '../../../test/fixtures/create-person.ts';
import { findHandler } from '../../../test/fixtures/find-handler.ts';
import { functionEnvironment } from '../../../test/fixtures/function-environment.ts';
import { openBucket } from '../../../test/fixtures/open-bucket.ts';
import { openTable } from '../../../test/fixtures/open-table.ts';
import { storeProxy, storeVideo } from '../../../test/fixtures/records/store-video.ts';
import { type Row, row } from '../row.ts';

type Response = APIGatewayProxyStructuredResultV2;
type Call = () => Promise<Response>;
type Operation = { method: string; path: string; token: string; body?: unknown };
type Timed = { name: string; p99Milliseconds: number };

const warmUps = 50;

/**
 * The duration of a handler without the store, which responds from memory here: the 99th percentile of the slowest GET
 * operation and of the slowest write. Single operations are printed to stderr.
 */
export async function measureHandlers(repeats: number): Promise<Row[]> {
  Object.assign(process.env, functionEnvironment, { PARAMETER_PREFIX: '/bench' });
  const closers = [await openTable(), await openBucket()];
  const parameters = mockClient(SSMClient);
  const keys = { current: 'k1', keys: { k1: 'b25l' } };
  parameters.on(GetParameterCommand).resolves({ Parameter: { Value: JSON.stringify(keys) } });
  try {
    const { reads, writes } = await operations();
    const memory = rememberStore();
    const time = async (operation: Operation): Promise<Timed[]> => {
      const call = await prepared(operation);
      const name = `${operation.method} ${operation.path}`;
      memory.begin();
      const { statusCode } = await call();
      if (statusCode! >= 300) {
        process.stderr.write(`${name}: answers ${statusCode}, not measured\n`);
        return [];
      }
      memory.replay();
      const milliseconds: number[] = [];
      for (let count = -warmUps; count < 200 * repeats; count++) {
        const startMs = performance.now();
        const again = await call();
        if (again.statusCode !== statusCode)
          throw new Error(`${name} answered ${statusCode}, then ${again.statusCode}`);
        if (count >= 0) milliseconds.push(performance.now() - startMs);
      }
      const sorted = milliseconds.toSorted((a, b) => a - b);
      const [p50, p99] = [0.5, 0.99].map((part) => sorted[Math.ceil(part * sorted.length) - 1]!) as [number, number];
      process.stderr.write(`${name}: ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms\n`);
      return [{ name, p99Milliseconds: p99 }];
    };
    const timedReads: Timed[] = [];
    const timedWrites: Timed[] = [];
    for (const read of reads) timedReads.push(...(await time(read)));
    for (const write of writes) timedWrites.push(...(await time(write)));
    return [
      slowest(`slowest of ${timedReads.length} reads, p99`, timedReads, 5),
      slowest(`slowest of ${timedWrites.length} writes, p99`, timedWrites),
    ];
  } finally {
    parameters.restore();
    for (const close of closers) await close();
  }
}

function slowest(name: string, timed: Timed[], atMost?: number): Row {
  const worst = timed.toSorted((a, b) => b.p99Milliseconds - a.p99Milliseconds)[0]!;
  const limit = atMost === undefined ? {} : { atMost };
  return row({ name: `${name}: ${worst.name}`, value: worst.p99Milliseconds, unit: 'ms', ...limit });
}

/** Every published GET on existing records, and typical writes. */
async function operations(): Promise<{ reads: Operation[]; writes: Operation[] }> {
  const { user, token } = await createPerson({ isAdmin: true });
  const proxy = await storeProxy('proxy.example.com');
  const { video, streams, template } = await storeVideo(user);
  for (let count = 1; count < 15; count++) await storeVideo(user, { template });
  const body = { filename: 'a.mp4', metadata: { template: template.ulid } };
  const open = await prepared({ method: 'POST', path: '/api/objstore/multipart', token, body });
  const { uploadId } = JSON.parse((await open()).body!);
  const today = new Date().toISOString().slice(0, 10);
  const existing: Record<string, string> = {
    '/api/users/{id}': `/api/users/${user.id}`,
    '/api/templates/{id}': `/api/templates/${template.id}`,
    '/api/videos/{ulid}': `/api/videos/${video.ulid}`,
    '/api/nodes/{id}': `/api/nodes/${proxy.id}`,
    '/api/streams/{id}': `/api/streams/${streams[0]!.id}`,
    '/api/objstore/multipart/{uploadId}': `/api/objstore/multipart/${uploadId}`,
    '/{partNumber}': '/1',
  };
  const queries: Record<string, string> = {
    '/api/usage': `?from=${today}&to=${today}`,
    '/api/objstore/params': `?filename=a.mp4&metadata%5Btemplate%5D=${template.ulid}`,
  };
  const targetOf = (path: string): string =>
    Object.entries(existing).reduce((target, [named, one]) => target.replace(named, one), path) + (queries[path] ?? '');
  const reads = publishedRoutes.filter(({ method }) => method === 'GET');
  return {
    reads: reads.map(({ path }) => ({ method: 'GET', path: targetOf(path), token })),
    writes: [
      { method: 'PUT', path: `/api/videos/${video.ulid}`, token, body: { name: 'new' } },
      { method: 'POST', path: '/api/template-presets/hls-auto-1080p/adopt', token, body: {} },
      { method: 'POST', path: '/api/tokens', token, body: { name: 'bench' } },
      { method: 'POST', path: '/api/objstore/multipart', token, body },
      { method: 'DELETE', path: `/api/objstore/multipart/${uploadId}`, token },
    ],
  };
}

/** Invokes the function of a path with the event that the gateway would send. */
async function prepared({ method, path, token, body }: Operation): Promise<Call> {
  const { functionName, handler } = await findHandler(method, path.split('?')[0]!);
  const rawHeaders = [
    'host',
    'api.example.com',
    'authorization',
    `Bearer ${token}`,
    'content-type',
    'application/json',
  ];
  const request = { method, url: path, rawHeaders, httpVersion: '1.1' };
  const route = { routeKey: '$default', functionName, permitted: true };
  const properties = { requestId: 'bench', accountId: '000000000000', timeMs: Date.now(), sourceIp: '203.0.113.7' };
  const sent = Buffer.from(body === undefined ? '' : JSON.stringify(body));
  const matched = { route, pathParameters: undefined };
  // The handler modifies its event, so each call needs a new one.
  return () =>
    handler(
      requestEvent(request as unknown as IncomingMessage, sent, matched, properties) as never,
      lambdaContext as never,
    );
}

type Command = { input: unknown; constructor: { name: string } };
type Sender = { send(command: Command): Promise<unknown> };

/**
 * Puts a cache between the functions and the store, so that store calls cost no time. After `begin` calls go to the
 * store and are recorded; after `replay` a call gets the recorded response of its kind, such as a read of a record with
 * a new ULID.
 */
function rememberStore() {
  const outputs = new Map<string, unknown>();
  const kinds = new Map<string, unknown>();
  let replaying = false;
  for (const { prototype } of [DynamoDBDocumentClient, S3Client] as unknown as { prototype: Sender }[]) {
    const ask = prototype.send;
    prototype.send = async function send(this: Sender, command) {
      const { name } = command.constructor;
      const question = name + JSON.stringify(command.input);
      if (replaying && outputs.has(question)) return outputs.get(question);
      if (replaying && kinds.has(name)) return kinds.get(name);
      const output = await ask.call(this, command);
      outputs.set(question, output);
      if (!replaying) kinds.set(name, output);
      return output;
    };
  }
  return {
    begin() {
      outputs.clear();
      kinds.clear();
      replaying = false;
    },
    replay() {
      replaying = true;
    },
  };
}
