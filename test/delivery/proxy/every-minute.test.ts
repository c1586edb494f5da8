import { once } from 'node:events';
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { addDelivery, emptyDeliveries, readAccesses } from '../../../functions/common/access-log.ts';
import { accessLogPrefix } from '../../../shared/object-keys.ts';
import {
  keys,
  nodeUlid,
  type Origin,
  type RunningProxy,
  secretOf,
  signed,
  startOrigin,
  startProxy,
  videoUlid,
} from './running-proxy.ts';

/** Where the images are tested, the proxy is a container. */
const engine = inject('engine');
let origin: Origin;
let proxy: RunningProxy;

beforeEach(async () => {
  origin = await startOrigin();
  const object = { Bucket: origin.bucket, Key: `videos/${videoUlid}/r1/1.m4s`, Body: 'segment' };
  await origin.store.send(new PutObjectCommand(object));
  proxy = await startProxy(origin, {}, engine);
});
afterEach(async () => {
  await proxy.close();
  await origin.close();
});

const get = async (path: string, init?: RequestInit): Promise<number> => {
  const answer = await proxy.get(path, init);
  await answer.arrayBuffer();
  return answer.status;
};
/** Sends a target as it is, one byte per character. */
async function statusOfRaw(target: string): Promise<number> {
  const { hostname, port } = new URL(proxy.address);
  const socket = connect(Number(port), hostname);
  // The proxy closes the connection of a target that is too long while it is sent.
  socket.on('error', () => undefined);
  socket.write(Buffer.from(`GET ${target} HTTP/1.1\r\nHost: proxy\r\nConnection: close\r\n\r\n`, 'latin1'));
  const [first] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(String(first))?.[1]);
}

const statusOf = (keyId: string, secret: string) => get(signed('r1/1.m4s', { keyId, secret }));

/** The objects of the log prefix with their lines. */
async function shippedLogs(): Promise<{ key: string; lines: string[] }[]> {
  const { Contents = [] } = await origin.store.send(
    new ListObjectsV2Command({ Bucket: origin.bucket, Prefix: accessLogPrefix(nodeUlid) }),
  );
  return Promise.all(
    Contents.map(async ({ Key }) => {
      const { Body } = await origin.store.send(new GetObjectCommand({ Bucket: origin.bucket, Key }));
      const lines = await text((Body as NodeJS.ReadableStream).pipe(createGunzip()));
      return { key: Key!, lines: lines.trim().split('\n') };
    }),
  );
}

const localLogs = async (): Promise<string[]> =>
  (await readdir(join(proxy.folder, 'logs'))).filter((name) => name !== 'access.jsonl');

/** The workers that have remembered checked URLs. */
const notedBy = (): Promise<string[]> => readdir(join(proxy.folder, 'run/checked-urls'));

/** Workers write the log shortly after the response. */
const loggedLines = async (count: number): Promise<void> => {
  await proxy.reopenLogs();
  await expect
    .poll(async () => (await readFile(join(proxy.folder, 'logs/access.jsonl'), 'utf8')).split('\n').length - 1)
    .toBe(count);
};

test('the access log is uploaded in pieces without tokens, and its bytes add up', async () => {
  const path = signed('r1/1.m4s');
  await get(path, { headers: { 'user-agent': 'player "1"' } });
  await get(path, { method: 'HEAD' });
  await get(path.replace('viewer-1', 'viewer-2'));
  await get('/healthz');
  await loggedLines(3);
  await proxy.tick();
  // A worker may still write to a piece that was just closed.
  expect(await shippedLogs()).toEqual([]);
  await proxy.tick();

  const [log, ...others] = await shippedLogs();
  expect(others).toEqual([]);
  expect(log!.key).toMatch(/^logs\/access\/[0-9A-Z]{26}\/\d{8}T\d{6}\.\d{9}Z\.jsonl\.gz$/);
  // Each worker writes its buffer at once.
  const lines = log!.lines.map((line) => JSON.parse(line));
  const [got, headed, refused] = ['GET 200', 'HEAD 200', 'GET 403'].map((wanted) =>
    lines.find(({ method, status }) => `${method} ${status}` === wanted),
  );
  expect(got).toEqual({
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]/),
    node: nodeUlid,
    method: 'GET',
    path: `/videos/${videoUlid}/r1/1.m4s`,
    session: 'viewer-1',
    status: 200,
    bytes: expect.any(Number),
    durationSeconds: expect.any(Number),
    remoteAddress: '127.0.0.1',
    userAgent: 'player "1"',
  });
  expect(refused).toMatchObject({ status: 403, session: '', path: `/s/-/videos/${videoUlid}/r1/1.m4s` });
  expect(JSON.stringify(log!.lines)).not.toContain(path.split('/')[2]!.slice(-43));
  const { bytes, sessions } = emptyDeliveries();
  const unreadable = await readAccesses(log!.lines, Date.now(), (access, date) =>
    addDelivery({ bytes, sessions }, access, date),
  );
  expect([[...bytes.values()], sessions.size, unreadable]).toEqual([[got.bytes + headed.bytes], 1, 0]);
  expect(await localLogs()).toEqual([]);
});

test('a line has what the player says of its playback, and no argument changes a line or hides one', async () => {
  const path = signed('r1/1.m4s');
  const token = path.split('/')[2]!;
  const said = 'bl%3D2100%2Cbs%2Csid%3D%22it%27s%20(me)%22';
  const longest = 'x'.repeat(2000);
  const cases: [query: string, cmcd?: string][] = [
    [`?CMCD=${said}`, said],
    [`?_HLS_msn=3&CMCD=${said}&x=1`, said],
    [`?CMCD=${said}&CMCD=second`, said],
    ['?CMCD=0', '0'],
    [`?CMCD=${longest}`, longest],
    [`?CMCD=%22%7D%0A%7B%22time%22%00%FF`, '%22%7D%0A%7B%22time%22%00%FF'],
    ['?CMCD='],
    ['?CMCD'],
    ['?cmcd=bl%3D2100'],
    ['?XCMCD=bl%3D2100'],
    [`?CMCD=${longest}x`],
    [`?CMCD=nor%3D%22..%2F..%2F..%2F${token}%2Fvideos%2F2.m4s%22`],
    [`?CMCD=nor%3D%22%252Fs%252F${token}%252F2.m4s%22`],
    ['?CMCD="},{"status":200,\\n"'],
    ['?CMCD=\xff\xc3("'],
  ];
  const statuses = [];
  for (const [query] of cases) statuses.push(await statusOfRaw(`${path}${query}`));
  // nginx has no line for what is no request, and one without a path for a target that is too long.
  const broken = await Promise.all(
    [`?CMCD=a\x00b`, `?CMCD=a\rb`, `?CMCD=a\x01b`, `?CMCD=${'x'.repeat(2 ** 21)}`].map((query) =>
      statusOfRaw(`${path}${query}`),
    ),
  );
  expect([new Set(statuses), broken]).toEqual([new Set([200]), [400, 400, 400, 414]]);
  await get(`${path.replace('viewer-1', 'viewer-2')}?CMCD=${said}`);
  await get(`/p/${videoUlid}/r1/1.m4s?CMCD=${said}`);
  await proxy.reopenLogs();
  const lines = async () =>
    (await readFile(join(proxy.folder, 'logs/access.jsonl'), 'utf8'))
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  await expect.poll(async () => (await lines()).length).toBeGreaterThanOrEqual(cases.length + 2);
  const delivered = (await lines()).filter(({ status }) => status === 200);
  expect(delivered.every(({ session, method }) => session === 'viewer-1' && method === 'GET')).toBe(true);
  expect(delivered.map(({ cmcd }) => String(cmcd)).toSorted()).toEqual(
    cases.map(([, cmcd]) => String(cmcd)).toSorted(),
  );
  const refused = (await lines()).filter(({ status }) => status !== 200);
  expect(refused.filter((line) => 'cmcd' in line)).toEqual([]);
  expect(JSON.stringify(await lines())).not.toContain(token.slice(-43));
  expect(proxy.errors.join('')).not.toContain(token.slice(-43));
});

test('a piece whose response was lost is uploaded again to the same object', async () => {
  const piece = '20261121T100000.000000001Z.jsonl';
  const file = join(proxy.folder, 'logs', piece);
  await writeFile(file, '{"first":1}\n');
  await proxy.tick();
  await writeFile(file, '{"second":2}\n');
  await proxy.tick();
  expect(await shippedLogs()).toEqual([{ key: `${accessLogPrefix(nodeUlid)}${piece}.gz`, lines: ['{"first":1}'] }]);
  expect(await localLogs()).toEqual([]);
});

test('pieces are kept while the store is unavailable', async () => {
  await get(signed('r1/1.m4s'));
  await loggedLines(1);
  await origin.stop();
  await proxy.tick();
  await proxy.tick();
  expect(await localLogs()).toEqual([expect.stringMatching(/Z\.jsonl\.gz$/)]);
  await origin.start();
  await proxy.tick();
  expect([await localLogs(), (await shippedLogs()).length]).toEqual([[], 1]);
});

test('keys follow the parameter store within a minute: new keys are accepted, removed keys are not', async () => {
  const k3 = secretOf(3);
  expect([await statusOf('k3', k3), await statusOf('k2', keys.k2)]).toEqual([403, 200]);
  await origin.setParameter(JSON.stringify({ current: 'k1', next: 'k3', keys: { k1: keys.k1, k3 } }));
  await proxy.tick();
  await expect.poll(() => statusOf('k3', k3)).toBe(200);
  expect([await statusOf('k1', keys.k1), await statusOf('k2', keys.k2)]).toEqual([200, 403]);
});

test('a URL signed with a removed key is refused, also by workers that had checked it', async () => {
  const path = signed('r1/1.m4s', { keyId: 'k2', secret: keys.k2 });
  await Promise.all(Array.from({ length: 20 }, () => get(path)));
  expect(await notedBy()).not.toEqual([]);
  const formerWorkers = await notedBy();
  await origin.setParameter(JSON.stringify({ current: 'k1', keys: { k1: keys.k1 } }));
  await proxy.tick();
  await expect.poll(() => get(path)).toBe(403);
  expect(new Set(await Promise.all(Array.from({ length: 20 }, () => get(path))))).toEqual(new Set([403]));
  // Their files are removed when the workers have exited.
  await expect
    .poll(async () => {
      await proxy.tick();
      return (await notedBy()).filter((worker) => formerWorkers.includes(worker));
    })
    .toEqual([]);
});

test('a URL is checked again an hour after the last check', async () => {
  const path = signed('r1/1.m4s');
  await get(path);
  const [worker] = await notedBy();
  const folder = join(proxy.folder, 'run/checked-urls', worker!);
  const [note] = await readdir(folder);
  const anHourAgo = Date.now() / 1000 - 3700;
  await utimes(join(folder, note!), anHourAgo, anHourAgo);
  await proxy.tick();
  expect(await readdir(folder)).toEqual([]);
  expect(await get(path)).toBe(200);
});

test('the cached objects of a denied video are deleted, and no others', async () => {
  const other = videoUlid.replace(/.$/, '9');
  const objectKey = `videos/${other}/r1/1.m4s`;
  await origin.store.send(new PutObjectCommand({ Bucket: origin.bucket, Key: objectKey, Body: 'other' }));
  const path = signed('', { objectKey });
  expect([await get(signed('r1/1.m4s')), await get(path)]).toEqual([200, 200]);
  const objects = join(proxy.folder, 'cache/objects');
  const cached = async () => {
    const files = (await readdir(objects, { recursive: true })).filter((name) => /[0-9a-f]{32}$/.test(name));
    const contents = await Promise.all(files.map((name) => readFile(join(objects, name), 'latin1')));
    return contents.map((content) => /^KEY: (.*)$/m.exec(content)?.[1]).toSorted();
  };
  expect(await cached()).toHaveLength(2);
  expect(await get(signed('', { objectKey, session: 'deleted' }), { method: 'DELETE' })).toBe(204);
  await proxy.tick();
  expect(await cached()).toEqual([`videos/${videoUlid}/r1/1.m4s`]);
  expect([await get(signed('r1/1.m4s')), await get(path)]).toEqual([200, 404]);
});

test.each(['{"current":"k1","keys":{}}', '{"keys":{"k1":"too short"}}', 'no JSON'])(
  'a parameter such as %s leaves the keys as they are',
  async (value) => {
    await origin.setParameter(value);
    await proxy.tick();
    expect(await statusOf('k1', keys.k1)).toBe(200);
  },
);

test('without a parameter, the keys of the last deployment are used', async () => {
  const k4 = secretOf(4);
  await writeFile(join(proxy.folder, 'configuration/signing-keys.json'), JSON.stringify({ k4 }));
  await proxy.tick();
  await expect.poll(() => statusOf('k4', k4)).toBe(200);
});

test('the current credentials of the host are used', async () => {
  await proxy.close();
  proxy = await startProxy(origin, { cdnMode: true }, engine);
  const file = join(proxy.folder, 'aws/credentials');
  const credentials = (secret: string) =>
    `[default]\naws_access_key_id = AKIDPROXY\naws_secret_access_key = ${secret}\naws_session_token = abc+/==\n`;
  await writeFile(file, credentials('revoked'));
  await proxy.tick();
  // Without permission to list, the store answers a wrong signature like a missing object.
  await expect.poll(() => statusOf('k1', keys.k1)).toBe(404);
  expect(await readFile(join(proxy.folder, 'run/credentials.json'), 'utf8')).toBe(
    '{"accessKeyId":"AKIDPROXY","secretAccessKey":"revoked","sessionToken":"abc+/=="}',
  );
  await writeFile(file, credentials('secret/with+odd=characters'));
  await proxy.tick();
  await expect.poll(() => statusOf('k1', keys.k1)).toBe(200);
});

test('a node without credentials starts and answers 502', async () => {
  const poor = await startProxy(origin, { credentials: { accessKeyId: '', secretAccessKey: '' } }, engine);
  const answer = await poor.get(signed('r1/1.m4s'));
  await poor.close();
  expect(answer.status).toBe(502);
});
