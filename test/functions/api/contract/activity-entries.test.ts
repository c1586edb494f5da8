import { ECSClient, ListTasksCommand } from '@aws-sdk/client-ecs';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeAll, expect, test } from 'vitest';
import { newUlid } from '../../../../functions/common/ids.ts';
import { publishedRoutes } from '../../../../functions/contracts/published-routes.ts';
import { isChange, type RouteDeclaration } from '../../../../functions/contracts/route-declaration.ts';
import { findUserByEmail } from '../../../../functions/table/accounts/user-table.ts';
import { write } from '../../../../functions/table/items/items.ts';
import { keys } from '../../../../functions/table/items/keys.ts';
import type { User } from '../../../../functions/table/records.ts';
import { createStorage } from '../../../../functions/table/storages/storage-table.ts';
import { createPerson } from '../../../fixtures/create-person.ts';
import { imageHeaders } from '../../../fixtures/image-files.ts';
import { readHistory } from '../../../fixtures/read-history.ts';
import { customerStorage } from '../../../fixtures/records/delivering-person.ts';
import { storeEncodedVideo } from '../../../fixtures/records/store-encoded-video.ts';
import { storeNode } from '../../../fixtures/records/store-node.ts';
import { fillPath, storeOwnedRecords } from '../../../fixtures/records/store-owned-records.ts';
import { createKeyPair, storeSshKey } from '../../../fixtures/records/store-ssh-key.ts';
import { storeVideo } from '../../../fixtures/records/store-video.ts';
import { callApi, useWholeApi } from '../../../fixtures/use-whole-api.ts';

/** Every operation that changes something writes one entry into the activity of the user who acts. */
useWholeApi();

type Person = { user: User; token: string };
type Sent = { path?: `/${string}`; body?: unknown; text?: string; file?: Buffer; headers?: Record<string, string> };

const web = {
  version: 1,
  video: [{ name: 'v720', codec: 'h264', height: 720, bitrate: '2800k' }],
  audio: [{ name: 'stereo', codec: 'aac', bitrate: '128k' }],
  outputs: [{ name: 'hls', format: 'hls', segment_duration: 4 }],
};
const password = 'correct horse';
const lambda = mockClient(LambdaClient);
const tasks = mockClient(ECSClient);

beforeAll(() => {
  lambda.on(InvokeCommand).resolves({ StatusCode: 202 });
  tasks.on(ListTasksCommand).resolves({ taskArns: [] });
  Object.assign(process.env, {
    CLUSTER: 'none',
    TASK_DEFINITION_FAMILY: 'worker',
    MAX_TASKS: '0',
    OPERATE_FUNCTION: 'operate',
    SWEEP_FUNCTION: 'sweep',
    SSH_KEYS_KMS_KEY: 'arn:aws:kms:key',
  });
  return () => {
    lambda.restore();
    tasks.restore();
  };
});

/**
 * Sessions are no records. An estimate, an embed token or a URL that is only signed, and the test of a storage change
 * nothing.
 */
const withoutEntry = ['login', 'logout', 'estimate', 'createEmbedToken', 'createPosterUpload', 'testStorage'];

/** What an operation needs beside the owned records and its example: another record, or another body. */
const prepared: Record<string, (actor: Person) => Promise<Sent>> = {
  register: async () => ({
    body: { name: 'Eve', email: mail(), password, password_confirmation: password },
  }),
  updateProfile: async () => ({ body: { name: 'Ada E.', email: mail() } }),
  updatePassword: async () => {
    const body = { name: 'Eve', email: mail(), password, password_confirmation: password };
    await callApi('POST /register', { body, ip: '203.0.113.8' });
    const { passwordHash } = (await findUserByEmail(body.email))!;
    await write({ update: keys.user(actorOf.user.ulid), set: { passwordHash } });
    const next = 'battery staple';
    return { body: { current_password: password, password: next, password_confirmation: next } };
  },
  createUser: async () => ({ body: { name: 'Bo', email: mail(), password } }),
  updateUser: async () => ({ path: await somebody(), body: { name: 'Bo B.', quota: { upload_bytes_per_month: 5 } } }),
  updateUserPassword: async () => ({ path: `${await somebody()}/password` }),
  deleteUser: async () => ({ path: await somebody() }),
  createImage: async () => ({ file: imageHeaders.png(100, 100), headers: { 'content-type': 'image/png' } }),
  updateVideo: async () => ({ body: { name: 'Other' } }),
  createMultipart: async ({ token }) => ({ body: { filename: 'b.mp4', metadata: { template: await adopted(token) } } }),
  createDirectUpload: async ({ token }) => ({ body: { template: await adopted(token) } }),
  createIngest: async ({ token }) => ({
    body: { url: 'https://media.example.com/b.mp4', metadata: { template: await adopted(token) } },
  }),
  createIngestBatch: async ({ token }) => {
    const { data } = (await callApi('GET /api/storages', { token })).json;
    return { body: { storage: data[0].ulid, prefix: 'in/', metadata: { template: await adopted(token) } } };
  },
  uploadParams: async ({ token }) => {
    const query = new URLSearchParams({ filename: 'b.mp4', 'metadata[template]': await adopted(token) });
    return { path: `/api/objstore/params?${query}` };
  },
  completeMultipart: async ({ token }) => {
    const body = { filename: 'b.mp4', metadata: { template: await adopted(token) } };
    const path = `/api/objstore/multipart/${(await callApi('POST /api/objstore/multipart', { token, body })).json.uploadId}`;
    const { url } = (await callApi(`GET ${path as '/'}/1`, { token })).json;
    const { headers } = await fetch(url, { method: 'PUT', body: 'a video' });
    const parts = [{ PartNumber: 1, ETag: headers.get('etag') }];
    return { path: `${path as '/'}/complete`, body: { parts } };
  },
  putCaptions: async ({ user }) => ({ path: await captionsPath(user), ...captionFile }),
  generateCaptions: async ({ user }) => ({
    path: `/api/videos/${(await storeEncodedVideo(user, web)).video.ulid}/captions/generate`,
  }),
  deleteCaptions: async ({ user, token }) => {
    const path = await captionsPath(user);
    await callApi(`PUT ${path}`, { token, ...captionFile });
    return { path };
  },
  createStream: async ({ user }) => {
    const { video } = await storeEncodedVideo(user, web);
    const input_params = { codec: 'h264', height: 360, bitrate: '800k' };
    return { body: { video_id: video.id, name: 'Small', type: 'video', input_params } };
  },
  updateStream: async ({ user }) => ({ path: await encodedStream(user), body: { input_params: { bitrate: '900k' } } }),
  deleteStream: async ({ user }) => ({ path: await encodedStream(user, true) }),
  setPoster: async ({ user }) => ({
    path: `/api/videos/${(await storeEncodedVideo(user, web)).video.ulid}/poster`,
    body: { at_seconds: 3 },
  }),
  createStorageDelivery: async ({ user }) => ({ body: { storage: (await createStorage(customerStorage, user)).ulid } }),
  reprocessVideo: async ({ user }) => ({ path: `/api/videos/${(await storeVideo(user)).video.ulid}/reprocess` }),
  deleteTemplate: async ({ token }) => ({ path: `/api/templates/${await adopted(token)}` }),
  createNode: async ({ user }) => ({
    body: {
      name: 'n',
      ip_address: '198.51.100.9',
      user: 'deploy',
      type: 'worker',
      ssh_key_id: (await storeSshKey(user)).id,
    },
  }),
  updateNode: async () => ({ path: `/api/nodes/${(await storeNode()).id}`, body: { workers: 3 } }),
  deleteNode: async () => ({ path: `/api/nodes/${(await storeNode()).id}` }),
  deployNode: async () => ({
    path: `/api/nodes/${(await storeNode({ status: 'pending' })).id}/deploy`,
    body: { step: 'check' },
  }),
  createSshKey: async () => ({ body: { name: 'fleet', ...createKeyPair() } }),
  deleteSshKey: async ({ user }) => ({ path: `/api/ssh-keys/${(await storeSshKey(user)).id}` }),
};

let actorOf: Person;
const mail = (): string => `${newUlid().toLowerCase()}@example.com`;
const somebody = async (): Promise<`/${string}`> => `/api/users/${(await createPerson()).user.id}`;
const adopted = async (token: string): Promise<string> =>
  (await callApi('POST /api/template-presets/mp4-720p/adopt', { token })).json.data.ulid;

/** A stream of an encoded video; `added` one that the video can lose. */
const captionFile = { text: 'WEBVTT\n\n00:01.000 --> 00:02.000\na\n', headers: { 'content-type': 'text/vtt' } };

async function captionsPath(user: User): Promise<`/${string}`> {
  const { video } = await storeVideo(user, { status: 'pending', outputs: [] });
  return `/api/videos/${video.ulid}/captions/de`;
}

async function encodedStream(user: User, added = false): Promise<`/${string}`> {
  const second = { name: 'v360', codec: 'h264', height: 360, bitrate: '800k' };
  const { streams } = await storeEncodedVideo(user, { ...web, video: [...web.video, ...(added ? [second] : [])] });
  return `/api/streams/${streams.find(({ type }) => type === 'video')!.id}`;
}

const changes = publishedRoutes.filter(
  (declaration) =>
    isChange(declaration) && declaration.access !== 'session' && !withoutEntry.includes(declaration.operationId),
);

test.each(changes.map((declaration): [string, RouteDeclaration] => [declaration.operationId, declaration]))(
  '%s',
  async (name, declaration) => {
    const actor = await createPerson({ isAdmin: true });
    actorOf = actor;
    const records = await storeOwnedRecords(actor);
    const sent = (await prepared[name]?.(actor)) ?? {};
    const before = (await readHistory(actor.user, 100)).length;
    const { path, body = declaration.bodyExample, ...file } = sent;
    const answer = await callApi(`${declaration.method} ${path ?? fillPath(declaration.path, records)}`, {
      ...(declaration.access === 'public' ? { ip: '203.0.113.8' } : { token: actor.token }),
      ...(body !== undefined && { body }),
      ...file,
    });
    expect(answer.status, answer.text).toBe(declaration.status);
    // A user who registers is the one who acts.
    const who = name === 'register' ? { ulid: answer.json.ulid } : actor.user;
    const lines = await readHistory(who, 100);
    expect(lines.length).toBe((name === 'register' ? 0 : before) + 1);
    expect(lines[0]).toMatchObject({ description: expect.stringMatching(/\w/), subject: { type: expect.any(String) } });
    expect(JSON.stringify(lines[0])).not.toMatch(/correct horse|battery staple|long enough|PRIVATE KEY|scrypt/);
  },
);
