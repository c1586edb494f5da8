import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GetObjectCommand, HeadObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createRandom } from '../../../../lab/faults/random.ts';
import { runsAtStart, type StoreCall } from '../../../../lab/faults/store/store-call.ts';
import { randomStoreFault, type StoreFault } from '../../../../lab/faults/store/store-fault.ts';
import { openStoreProxy, type StoreProxy } from '../../../../lab/faults/store/store-proxy.ts';
import { useBucket } from '../../../fixtures/use-bucket.ts';

useBucket();

let proxy: StoreProxy;
let client: S3Client;
let calls: StoreCall[];
let stop: (() => void) | undefined;

beforeEach(async () => {
  const store = process.env.AWS_ENDPOINT_URL_S3!;
  proxy = await openStoreProxy(() => ({ store, control: store }));
  client = new S3Client({ endpoint: proxy.url, maxAttempts: 1, requestChecksumCalculation: 'WHEN_REQUIRED' });
  calls = [];
});
afterEach(async () => {
  client.destroy();
  await proxy.close();
});

const named = (Key: string) => ({ Bucket: 'test-bucket', Key });
const put = (key: string) => client.send(new PutObjectCommand({ ...named(key), Body: 'content' }));
const isThere = (key: string): Promise<boolean> =>
  new S3Client({}).send(new HeadObjectCommand(named(key))).then(
    () => true,
    () => false,
  );
const meet = (fault: StoreFault | undefined): void => {
  stop?.();
  stop = proxy.disturb((call) => {
    calls.push(call);
    return fault;
  });
};

describe('a store behind the proxy', () => {
  test('passes calls unchanged, with signatures in headers and in URLs', async () => {
    await put('passed.txt');
    const url = await getSignedUrl(client, new GetObjectCommand(named('passed.txt')));
    expect(new URL(url).host).toBe(new URL(proxy.url).host);
    expect(await (await fetch(url)).text()).toBe('content');
  });

  test('can delay the response of a call that is executed at once', async () => {
    meet({ kind: 'late', delayMs: 3000 });
    let isAnswered = false;
    const answered = put('answered-late.txt').then(() => {
      isAnswered = true;
    });
    while (!(await isThere('answered-late.txt'))) await sleep(5);
    expect(isAnswered).toBe(false);
    await answered;
  });

  test.each([
    ['refuses', 'refused', /InternalError|ServiceUnavailable|SlowDown/],
    ['gives no answer to', 'cut', /TimeoutError|Error/],
  ] as const)('%s a call that was not carried out, or was', async (_, kind, name) => {
    for (const happened of [false, true]) {
      meet({ kind, happened });
      await expect(put(`${kind}-${happened}`)).rejects.toMatchObject({ name: expect.stringMatching(name) });
      expect(await isThere(`${kind}-${happened}`)).toBe(happened);
    }
    expect(calls).toMatchObject([{ service: 's3', operation: 'PUT', presigned: false }, {}]);
  });

  test('can break off within a response', async () => {
    await put('long.txt');
    meet({ kind: 'truncated' });
    const { Body } = await client.send(new GetObjectCommand(named('long.txt')));
    await expect(Body!.transformToString()).rejects.toThrow();
  });

  test('can delay a call', async () => {
    meet({ kind: 'slow', delayMs: 50 });
    const first = await Promise.race([put('slow.txt').then(() => 'put'), sleep(40, 'slept')]);
    expect(first).toBe('slept');
    await expect.poll(() => isThere('slow.txt')).toBe(true);
  });

  test('works normally when faults are switched off', async () => {
    meet({ kind: 'refused', happened: false });
    stop!();
    await put('again.txt');
    expect(calls).toEqual([]);
  });

  test('can refuse a URL as expired', async () => {
    const url = await getSignedUrl(client, new PutObjectCommand(named('late.txt')));
    meet({ kind: 'expired' });
    const statuses = [await fetch(url, { method: 'PUT', body: 'x' }), await fetch(url, { method: 'PUT', body: 'x' })];
    expect(statuses.map(({ status }) => status)).toEqual([403, 400]);
    expect(calls[0]).toMatchObject({ presigned: true });
    expect(await isThere('late.txt')).toBe(false);
  });
});

test('the functions that run before the service is ready are known: their calls would find no services', () => {
  const ofResources = globSync('functions/**/*.lambda.ts').filter((path) =>
    readFileSync(path, 'utf8').includes('custom-resource.ts'),
  );
  expect(ofResources.length).toBeGreaterThan(1);
  const names = ['setup', ...ofResources.map((path) => basename(path, '.lambda.ts'))];
  expect(names.filter((name) => !runsAtStart(`video-service-local-${name}`))).toEqual([]);
  expect(runsAtStart('video-service-local-dispatch')).toBe(false);
});

describe('random faults', () => {
  const call: StoreCall = {
    service: 's3',
    operation: 'GET',
    method: 'GET',
    path: '/b/k',
    presigned: true,
    invocation: '',
    body: '',
  };

  test('are repeatable by seed and of every kind', () => {
    const draw = (seed: number) => {
      const random = createRandom(seed);
      return Array.from({ length: 100 }, () => randomStoreFault(random, call));
    };
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
    expect(new Set(draw(7).map(({ kind }) => kind))).toEqual(
      new Set(['refused', 'cut', 'truncated', 'slow', 'expired']),
    );
  });

  test('expire only presigned calls', () => {
    const random = createRandom(1);
    const kinds = Array.from({ length: 100 }, () => randomStoreFault(random, { ...call, presigned: false }).kind);
    expect(kinds).not.toContain('expired');
  });
});
