import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DeleteKeyCommand, UpdateKeysCommand } from '@aws-sdk/client-cloudfront-keyvaluestore';
import { S3Client } from '@aws-sdk/client-s3';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { type AwsStub, mockClient } from 'aws-sdk-client-mock';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import signedUrl from '../../../delivery/urls/signed-url.js';
import { listKeys, writeObject } from '../../../functions/aws/object-store.ts';
import { documents } from '../../../functions/aws/table-client.ts';
import { applyPlaybackChanges } from '../../../functions/delivery/apply-playback.ts';
import { hideVideo } from '../../../functions/table/videos/hide-video.ts';
import { listPlaybackChanges } from '../../../functions/table/videos/playback-changes.ts';
import { changeVideo } from '../../../functions/table/videos/video-changes.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { storeProxy, storeVideo } from '../../fixtures/records/store-video.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useEdgeStore } from '../../fixtures/use-edge-store.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();
const edge = useEdgeStore();

const signingKeys = { current: 'k1', keys: { k1: 'b25l' } };
let parameters: AwsStub<never, never, never>;
/** A proxy that confirms denials or not, and the requests that it got. */
let server: Server;
let answer = 204;
const requests: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.writeHead(answer).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await storeProxy(`proxy.test:${port}`, { ipAddress: '127.0.0.1', scheme: 'http' });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  vi.stubEnv('PARAMETER_PREFIX', '/video-service/test');
  const client = mockClient(SSMClient);
  client.on(GetParameterCommand).resolves({ Parameter: { Value: JSON.stringify(signingKeys) } });
  parameters = client as never;
  requests.length = 0;
  answer = 204;
  // Claims of changes expire after seconds, which pass on a busy machine.
  later(0);
});
afterEach(async () => {
  // Changes that are left would be applied again in the next test.
  answer = 204;
  later(600_000);
  await applyPlaybackChanges();
  expect(await listPlaybackChanges()).toEqual([]);
  parameters.restore();
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

async function madeVideo() {
  const { user } = await createPerson();
  const { video } = await storeVideo(user);
  return { user, video, folder: `videos/${video.ulid}/` };
}
const later = (milliseconds: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + milliseconds });
const objectsIn = async (folder: string) => (await listKeys(folder, '', 10)).keys;
const waiting = async (ulid: string) => (await listPlaybackChanges()).some(({ videoUlid }) => videoUlid === ulid);

test('a public video has a marker in the bucket until it is signed again', async () => {
  const { user, video, folder } = await madeVideo();
  const opened = await changeVideo(video, user, { playback: 'public' });
  await applyPlaybackChanges();
  expect(await objectsIn(folder)).toEqual([`${folder}public`]);
  await changeVideo(opened, user, { playback: 'signed' });
  await applyPlaybackChanges();
  expect(await objectsIn(folder)).toEqual([]);
  expect(requests).toEqual([]);
});

test('no other file is deleted with the marker, whatever its name', async () => {
  const { user, video, folder } = await madeVideo();
  const opened = await changeVideo(video, user, { playback: 'public' });
  await applyPlaybackChanges();
  await writeObject(`${folder}public-captions.vtt`, 'x', 'text/vtt');
  await changeVideo(opened, user, { playback: 'signed' });
  await applyPlaybackChanges();
  expect(await objectsIn(folder)).toEqual([`${folder}public-captions.vtt`]);
});

test('a change is applied again after a minute, since an interrupted invocation may have applied an older one', async () => {
  const { user, video, folder } = await madeVideo();
  const opened = await changeVideo(video, user, { playback: 'public' });
  await applyPlaybackChanges();
  await changeVideo(opened, user, { playback: 'signed' });
  // The next invocation dies before it has applied the change.
  expect(await objectsIn(folder)).toEqual([`${folder}public`]);
  later(61_000);
  await applyPlaybackChanges();
  expect(await objectsIn(folder)).toEqual([]);
  later(120_000);
  expect(await waiting(video.ulid)).toBe(false);
});

test('a publication takes two writes to the edge, however many runs there are in its first minute', async () => {
  const { user, video } = await madeVideo();
  const start = Date.now();
  await changeVideo(video, user, { playback: 'public' });
  await applyPlaybackChanges();
  edge.client.resetHistory();
  for (const seconds of [11, 22, 33, 44, 55]) {
    vi.useFakeTimers({ toFake: ['Date'], now: start + seconds * 1000 });
    await applyPlaybackChanges();
  }
  expect(edge.client.calls()).toHaveLength(0);
  vi.useFakeTimers({ toFake: ['Date'], now: start + 75_000 });
  await applyPlaybackChanges();
  expect(edge.client.calls()).toHaveLength(1);
});

test('a proxy that does not confirm for hours costs no further writes to the edge', async () => {
  const { user, video } = await madeVideo();
  await hideVideo(video, user);
  answer = 502;
  await applyPlaybackChanges();
  later(70_000);
  await applyPlaybackChanges();
  edge.client.resetHistory();
  later(20_000);
  await applyPlaybackChanges();
  expect(requests.filter((line) => line.includes(video.ulid))).toHaveLength(3);
  expect(edge.client.calls()).toHaveLength(0);
});

test('concurrent invocations apply a change once', async () => {
  const { user, video } = await madeVideo();
  await hideVideo(video, user);
  await Promise.all(Array.from({ length: 10 }, applyPlaybackChanges));
  expect(requests.filter((line) => line.includes(video.ulid))).toHaveLength(1);
});

test('every active proxy gets a signed denial of a deleted video until it confirms it', async () => {
  const { user, video } = await madeVideo();
  await hideVideo(video, user);
  answer = 502;
  await applyPlaybackChanges();
  const [method, path] = requests.at(-1)!.split(' ');
  expect(method).toBe('DELETE');
  expect(signedUrl.checkSignedPath(path!, signingKeys.keys, Math.floor(Date.now() / 1000))).toMatchObject({
    status: 200,
    videoUlid: video.ulid,
    session: signedUrl.denialSession,
  });
  later(70_000);
  await applyPlaybackChanges();
  later(140_000);
  expect(await waiting(video.ulid)).toBe(true);
  answer = 204;
  await applyPlaybackChanges();
  later(300_000);
  expect(await waiting(video.ulid)).toBe(false);
});

test('a change that the store refuses is applied by the next invocation', async () => {
  const { user, video, folder } = await madeVideo();
  await changeVideo(video, user, { playback: 'public' });
  const bucket = process.env.BUCKET_NAME;
  vi.stubEnv('BUCKET_NAME', 'missing');
  await expect(applyPlaybackChanges()).rejects.toThrow('Some items failed');
  vi.stubEnv('BUCKET_NAME', bucket);
  await applyPlaybackChanges();
  expect(await objectsIn(folder)).toEqual([`${folder}public`]);
});

test('the edge knows which videos are public and which are deleted', async () => {
  const [{ user, video }, other] = [await madeVideo(), await madeVideo()];
  const opened = await changeVideo(video, user, { playback: 'public' });
  await hideVideo(other.video, other.user);
  await applyPlaybackChanges();
  expect([...edge.entries.keys()]).toEqual([`deleted/${other.video.ulid}`, `public/${video.ulid}`]);
  await hideVideo(opened, user);
  await applyPlaybackChanges();
  expect([...edge.entries.keys()].toSorted()).toEqual(
    [other.video.ulid, video.ulid].map((ulid) => `deleted/${ulid}`).toSorted(),
  );
});

test('many deletions are one write to the edge, and one write for each video that was public', async () => {
  for (let count = 0; count < 10; count++) {
    const { user, video } = await madeVideo();
    await hideVideo(video, user);
  }
  await applyPlaybackChanges();
  expect(edge.client.commandCalls(UpdateKeysCommand)).toHaveLength(1);
  expect(edge.client.commandCalls(DeleteKeyCommand)).toHaveLength(0);
  expect(edge.entries.size).toBe(10);
});

test('a thousand deletions end playback everywhere within a minute, by the requests that each one takes', async () => {
  const deletions = 60;
  for (let count = 0; count < deletions; count++) {
    const { user, video } = await madeVideo();
    await hideVideo(video, user);
  }
  const table = vi.spyOn(documents, 'send');
  const store = vi.spyOn(S3Client.prototype, 'send');
  await applyPlaybackChanges();
  const counted = { table: table.mock.calls.length, store: store.mock.calls.length, proxies: requests.length };
  table.mockRestore();
  store.mockRestore();
  const edgeWrites = edge.client.commandCalls(UpdateKeysCommand).length;
  expect(edge.entries.size).toBe(deletions);
  expect({ edgeWrites, ...counted, table: 0 }).toEqual({
    edgeWrites: 2,
    table: 0,
    // A video that was never public has no marker.
    store: 0,
    proxies: deletions,
  });
  // Eight changes at a time, as if the batches were applied one after the other.
  const seconds = { table: 0.01, store: 0.05, proxies: 0.1 };
  const ofOne = (Object.keys(seconds) as (keyof typeof seconds)[]).map((kind) => seconds[kind] * counted[kind]);
  const ofChange = ofOne.reduce((sum, one) => sum + one, 0) / deletions / 8;
  const edgeSeconds = 0.5 * (1000 / 50);
  expect(1000 * ofChange + edgeSeconds).toBeLessThan(60);
});

test('invocations of many deletions at the same time apply each once', async () => {
  for (let count = 0; count < 60; count++) {
    const { user, video } = await madeVideo();
    await hideVideo(video, user);
  }
  await Promise.all([applyPlaybackChanges(), applyPlaybackChanges(), applyPlaybackChanges()]);
  expect(edge.entries.size).toBe(60);
  expect(new Set(requests).size).toBe(60);
  expect(requests).toHaveLength(60);
});

test('an edge that does not answer stops neither proxies nor other changes, and is written by the next invocation', async () => {
  const { user, video, folder } = await madeVideo();
  const opened = await changeVideo(video, user, { playback: 'public' });
  const gone = await madeVideo();
  await hideVideo(gone.video, gone.user);
  edge.failNext = true;
  await expect(applyPlaybackChanges()).rejects.toThrow('Some items failed');
  expect(requests.some((line) => line.includes(gone.video.ulid))).toBe(true);
  expect(await objectsIn(folder)).toEqual([`${folder}public`]);
  await applyPlaybackChanges();
  expect([...edge.entries.keys()].toSorted()).toEqual([`deleted/${gone.video.ulid}`, `public/${opened.ulid}`]);
});
