import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createControlServer } from '../../src/control/control-server.ts';
import type { ControlService } from '../../src/control/control-service.ts';
import { parseJsonObject, respondJson } from '../../src/control/json-protocol.ts';
import { authorize } from '../../src/iam/authorize.ts';
import { handleServiceCall } from '../../src/lambda/handle-service-call.ts';
import { openLambda } from '../../src/lambda/lambda-server.ts';
import { createPrincipal, createPrincipalLookup } from '../../src/testing/create-principal.ts';
import { credentials } from '../../src/testing/serve-control.ts';

/** Nothing listens at this address, so a request that arrives was sent as a message. */
const endpoint = 'http://127.0.0.1:1';
const region = 'local-1';
const root = join(import.meta.dirname, '../../..');

const code = `
import '@aws-sdk/signature-v4a';
import { CloudFrontKeyValueStoreClient, GetKeyCommand } from '@aws-sdk/client-cloudfront-keyvaluestore';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
const client = new DynamoDBClient({ maxAttempts: 1 });
const stores = new CloudFrontKeyValueStoreClient({ maxAttempts: 1 });
export const handler = async ({ id, key, withSecret, loaded }) => {
  if (loaded) return process.moduleLoadList.filter((name) => name.includes(loaded));
  if (key) return (await stores.send(new GetKeyCommand({ KvsARN: 'arn:aws:cloudfront::000000000000:key-value-store/keys', Key: key }))).Value;
  const sender = withSecret === undefined ? client : new DynamoDBClient({ maxAttempts: 1, credentials: { accessKeyId: process.env.AWS_ACCESS_KEY_ID, secretAccessKey: withSecret } });
  const { Item } = await sender.send(new GetItemCommand({ TableName: 't', Key: { id: { S: id } } }));
  return Item.id.S;
};`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'service-calls-'));
  await build({
    stdin: { contents: code, resolveDir: root },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outfile: join(folder, 'index.cjs'),
  });
}, 60_000);
afterAll(() => rm(folder, { recursive: true }));

async function call(event: object, { refused = false, fails = false } = {}) {
  const service: ControlService = {
    signingName: 'dynamodb',
    protocol: 'json-1.0',
    maxBodyBytes: 1000,
    handle: async (_request, response, body, caller) => {
      if (fails) throw new Error('a fault of the service');
      authorize(caller, 'dynamodb:GetItem', 'arn:table');
      const { Key } = parseJsonObject(body);
      await respondJson(response, 'application/x-amz-json-1.0', async () => ({ Item: Key }));
    },
  };
  const principal = { ...createPrincipal(credentials), policy: () => !refused };
  const control = createControlServer({
    region,
    find: createPrincipalLookup(principal),
    targets: new Map([['DynamoDB_20120810', service]]),
    keyValueStores: {
      signingName: 'cloudfront-keyvaluestore',
      protocol: 'rest-json',
      maxBodyBytes: 1000,
      isGlobal: true,
      handle: async ({ method, url = '' }, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ Value: `${method} ${url.split('/').at(-1)}` }));
      },
    },
  });
  const reported: unknown[] = [];
  const lambda = openLambda({
    functions: [
      {
        name: 'reads',
        arn: 'arn:aws:lambda:local-1:000000000000:function:reads',
        codeFolder: folder,
        module: 'index',
        handler: 'handler',
        timeoutSeconds: 20,
        memoryMiB: 128,
        environment: {},
        roleArn: 'arn:aws:iam::000000000000:role/function',
        managedNodeRoleName: undefined,
        wakesTasks: false,
      },
    ],
    credentialsOf: () => ({
      retireAtMs: Number.POSITIVE_INFINITY,
      environment: {
        AWS_ENDPOINT_URL: endpoint,
        AWS_ENDPOINT_URL_CLOUDFRONT_KEYVALUESTORE: endpoint.replace('127.0.0.1', 'localhost'),
        AWS_REGION: region,
        AWS_ACCESS_KEY_ID: credentials.accessKeyId,
        AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      },
    }),
    cacheFolder: folder,
    log: () => {},
    services: {
      endpoint,
      call: (one) => handleServiceCall(Promise.resolve(control), one, (error) => reported.push(error)),
    },
  });
  try {
    return { ...(await lambda.invoke('reads', event)), reported };
  } finally {
    await lambda.close();
  }
}

test('an AWS client in a function calls a service without a socket, with unchanged text', async () => {
  expect(await call({ id: 'größer 🎬 "\\' })).toEqual({ payload: 'größer 🎬 "\\', reported: [] });
});

test('so does a client of a key-value store, which puts the account before the host', async () => {
  expect(await call({ key: 'key/k1' })).toEqual({ payload: 'GET key%2Fk1', reported: [] });
});

test.each([
  ['a wrong signature', { withSecret: 'wrong' }, {}, 'InvalidSignatureException'],
  ['a missing permission', {}, { refused: true }, 'AccessDeniedException'],
  ['a body over the limit of the service', { id: 'x'.repeat(2000) }, {}, 'RequestEntityTooLargeException'],
])('%s is rejected as over HTTP', async (_, event, options, errorType) => {
  expect(await call({ id: 'a', ...event }, options)).toMatchObject({
    functionError: 'Unhandled',
    payload: { errorType },
  });
});

test('an internal error of a service is reported, and answered without details', async () => {
  const { payload, reported } = await call({ id: 'a' }, { fails: true });
  expect(JSON.stringify(payload)).not.toContain('a fault of the service');
  expect(reported).toEqual([new Error('a fault of the service')]);
});

test('an instance starts without undici, which an import of node:http would load', async () => {
  expect((await call({ loaded: 'internal/http' })).payload).not.toEqual([]);
  expect((await call({ loaded: 'undici' })).payload).toEqual([]);
});
