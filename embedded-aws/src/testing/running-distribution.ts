import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { createDistribution, type RequestRecord } from '../cloudfront/distribution-server.ts';
import { createHttpApiOrigin } from '../cloudfront/origins/http-api-origin.ts';
import { createS3Origin } from '../cloudfront/origins/s3-origin.ts';
import { createClientAddress } from '../http/client-address.ts';
import { listenOnLoopback, type RequestHandler } from '../http/http-server.ts';
import { openS3 } from '../s3/s3-server.ts';
import { readDistributions } from '../template/distributions/read-distributions.ts';
import { readBucketPolicies } from '../template/read-bucket-policies.ts';
import { createPrincipal, createPrincipalLookup } from './create-principal.ts';
import { location, templateOf } from './distribution-template.ts';
import { credentials } from './serve-control.ts';

/**
 * A distribution of the test template with its bucket, in front of an API that answers with `api`. `entries` are those
 * of its key-value store.
 */
export async function runDistribution(template = templateOf(), entries: ReadonlyMap<string, string> = new Map()) {
  const folder = await mkdtemp(join(tmpdir(), 'edge-'));
  const s3 = await openS3({
    folder,
    region: location.region,
    findPrincipal: createPrincipalLookup(createPrincipal(credentials)),
    buckets: [{ name: 'media', cors: [], eventBridge: false }],
    onObjectCreated: () => {},
  });
  const reads: string[] = [];
  const records: RequestRecord[] = [];
  const lines: string[] = [];
  const seen: { request: IncomingMessage; body: string }[] = [];
  const clock = { nowMs: Date.parse('2026-11-22T10:00:00Z') };
  let respondApi: RequestHandler = (_, response) => void response.writeHead(200).end('api');
  const [definition] = readDistributions(template);
  const policy = readBucketPolicies(template)('media', 'cloudfront.amazonaws.com');
  const distribution = createDistribution({
    definition: definition!,
    originOf: (origin) =>
      origin.kind === 's3'
        ? createS3Origin({
            bucket: 'media',
            origin,
            policy,
            accountId: location.accountId,
            distributionArn: definition!.arn,
            read: (read) => {
              const { 'if-none-match': known, range = 'all' } = read.headers;
              reads.push(`${read.headersOnly ? 'HEAD' : range} ${read.key}${known ? ' if changed' : ''}`);
              return s3.read(read);
            },
          })
        : createHttpApiOrigin(async (request, response) => {
            let body = '';
            for await (const chunk of request) body += chunk;
            seen.push({ request, body });
            await respondApi(request, response);
          }, 'api.execute-api.local-1.amazonaws.com'),
    keyValueReader: () => ({
      get: (key) => entries.get(key),
      meta: () => ({ creationDateTime: '', lastUpdatedDateTime: '', keyCount: entries.size }),
    }),
    clientAddress: createClientAddress([]),
    onRequest: (record) => records.push(record),
    log: (line) => lines.push(line),
    now: () => clock.nowMs,
  });
  const server = createServer((request, response) => void distribution.handle(request, response));
  const store = createServer((request, response) => void s3.handle(request, response));
  const address = `http://127.0.0.1:${await listenOnLoopback(server)}`;
  const endpoint = `http://127.0.0.1:${await listenOnLoopback(store)}`;
  const client = new S3Client({ endpoint, region: location.region, credentials });
  return {
    address,
    reads,
    records,
    lines,
    seen,
    clock,
    distribution,
    put: (key: string, body: string | Buffer, more: object = {}) =>
      client.send(new PutObjectCommand({ Bucket: 'media', Key: key, Body: body, ...more })),
    get: (path: string, init?: RequestInit) => fetch(address + path, init),
    respondApi(handler: RequestHandler): void {
      respondApi = handler;
    },
    async close(): Promise<void> {
      client.destroy();
      distribution.close();
      for (const one of [server, store]) {
        one.closeAllConnections();
        await new Promise((resolve) => one.close(resolve));
      }
      await s3.close();
      await rm(folder, { recursive: true });
    },
  };
}
