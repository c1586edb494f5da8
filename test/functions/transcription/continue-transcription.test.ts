import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { readObject } from '../../../functions/aws/object-store.ts';
import { leaseNext } from '../../../functions/queue/lease-next.ts';
import { reportDone } from '../../../functions/queue/report.ts';
import { reportFailed } from '../../../functions/queue/report-failure.ts';
import { handler as reap } from '../../../functions/schedule/reap.lambda.ts';
import { write } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import { queryRange } from '../../../functions/table/items/ranges.ts';
import { findJobsOfKind } from '../../../functions/table/jobs/job-table.ts';
import { queueJob } from '../../../functions/table/jobs/queued-jobs.ts';
import { removeStaleReservations, sumReserved } from '../../../functions/table/quotas/reservations.ts';
import type { User } from '../../../functions/table/records.ts';
import { findCaptions } from '../../../functions/table/videos/caption-table.ts';
import { changeVideo } from '../../../functions/table/videos/video-changes.ts';
import type { WholeVideo } from '../../../functions/table/videos/video-table.ts';
import { handler } from '../../../functions/transcription/continue-transcriptions.lambda.ts';
import type { TranscribeSpec, Word } from '../../../shared/protocol/jobs.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { clearQueue } from '../../fixtures/records/queue-probe.ts';
import { storeEncodedVideo } from '../../fixtures/records/store-encoded-video.ts';
import { storeProxy, storeVideo } from '../../fixtures/records/store-video.ts';
import { useEmptyPool } from '../../fixtures/use-empty-pool.ts';
import { callApi, useWholeApi } from '../../fixtures/use-whole-api.ts';

useWholeApi();
useEmptyPool();
const functions = mockClient(LambdaClient);
functions.on(InvokeCommand).resolves({});

const web = {
  version: 1,
  video: [{ name: 'v720', codec: 'h264', height: 720, bitrate: '2800k' }],
  audio: [{ name: 'stereo', codec: 'aac', bitrate: '128k' }],
  outputs: [{ name: 'hls', format: 'hls', segment_duration: 4 }],
};

let user: User;
let token: string;
let whole: WholeVideo;
beforeEach(async () => {
  process.env.TRANSCRIPTION = 'on';
  await clearQueue();
  await storeProxy('edge.example.com');
  ({ user, token } = await createPerson());
  whole = await storeEncodedVideo(user, web);
});

const ulid = () => whole.video.ulid;
const generate = (body: object = {}) => callApi(`POST /api/videos/${ulid()}/captions/generate`, { token, body });
const list = async () => (await callApi(`GET /api/videos/${ulid()}/captions`, { token })).json.data;
const proceed = () => handler({ videoUlid: ulid() });
let workers = 0;
const transcriber = () => ({ node: 'pool', worker: `t${++workers}`, epoch: 'e', transcribes: true });
const encoder = () => ({ node: 'pool', worker: `e${++workers}`, epoch: 'e' });
const events = async () =>
  (await queryRange(keys.event(user.ulid, '').pk, '0', 'Z', 100))
    .map(({ type }) => type)
    .filter((type) => String(type).startsWith('captions.'));
const said = (text: string): Word[] =>
  text.split(' ').map((word, index) => ({ text: ` ${word}`, startMs: 1000 + 400 * index, endMs: 1300 + 400 * index }));

/** Has the next transcriber report what it has heard. */
async function hear(language: string | null, words: Word[]) {
  await proceed();
  const caller = transcriber();
  const lease = (await leaseNext(caller))!;
  await reportDone(caller, { lease: lease.id, result: { language, words, cpuSeconds: 2 } });
  await proceed();
  return lease;
}

describe('captions from speech', () => {
  test('are pending until a worker has heard the video, and then a track in its manifest', async () => {
    const requested = await generate();
    expect(requested).toMatchObject({
      status: 202,
      json: { data: { language: 'und', kind: 'captions', origin: 'generated', status: 'pending', url: null } },
    });
    const { spec, inputs } = await hear('de', said('Guten Morgen zusammen.'));
    expect(spec).toMatchObject({ kind: 'transcribe', fromSeconds: 0, toSeconds: 12, language: null });
    expect(Object.keys(inputs)).toContain('audio/0');
    const [caption] = await list();
    expect(caption).toMatchObject({ language: 'de', label: 'German (automatic)', origin: 'generated', error: null });
    expect(caption.ulid).toBe(requested.json.data.ulid);
    expect(await events()).toEqual(['captions.added']);
    const sources = await callApi(`GET /api/videos/${ulid()}/sources`, { token });
    expect(sources.json.captions).toMatchObject([{ language: 'de', label: 'German (automatic)' }]);
    const { key } = (await findCaptions(ulid())).captions[0]!;
    expect(new TextDecoder().decode(await readObject(String(key)))).toContain(
      '00:00:01.000 --> 00:00:02.400\nGuten Morgen zusammen.',
    );
  });

  test('are counted as encoding time of the owner', async () => {
    const date = '2026-11-20';
    vi.useFakeTimers({ now: Date.parse(`${date}T12:00:00Z`), toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    await generate();
    await hear('de', said('Guten Morgen zusammen.'));
    const { json } = await callApi(`GET /api/usage?metric=encoding_cpu&from=${date}&to=${date}`, { token });
    expect(json.data).toEqual([{ metric: 'encoding_cpu', external_user_id: 'crm-1', value: 2, date }]);
  });

  test('are made when no other job waits, and by workers that have a model only', async () => {
    await generate();
    await proceed();
    const other = await storeVideo(user, { status: 'running' });
    const id = { videoUlid: other.video.ulid, planNumber: 0, kind: 'probe', group: 0, index: 0 } as const;
    const queued = { taskToken: 't', estimateSeconds: 1, workUnits: 1, ownerUlid: user.ulid, virtualTimeSeconds: 0 };
    await queueJob(id, queued);
    expect(await leaseNext(transcriber())).toBeUndefined();
    expect((await leaseNext(encoder()))?.kind).toBe('probe');
    expect(await leaseNext(encoder())).toBeUndefined();
    expect((await leaseNext(transcriber()))?.kind).toBe('transcribe');
  });

  test('of several languages from one track are made one after the other, each part once', async () => {
    whole = await storeEncodedVideo(user, web, { languages: ['en'], frameCount: 30 * 700 });
    await generate({ language: 'de' });
    await generate({ language: 'en' });
    const parts: string[] = [];
    for (let calls = 0; calls < 12; calls++) {
      await proceed();
      const caller = transcriber();
      const lease = await leaseNext(caller);
      if (!lease) break;
      const { fromSeconds, language } = lease.spec as TranscribeSpec;
      parts.push(`${language} ${Math.round(fromSeconds)}`);
      const words = said('Guten Morgen zusammen.').map(({ text, startMs, endMs }) => ({
        text,
        startMs: startMs + 1000 * fromSeconds + 10_000,
        endMs: endMs + 1000 * fromSeconds + 10_000,
      }));
      await reportDone(caller, { lease: lease.id, result: { language, words, cpuSeconds: 2 } });
    }
    await proceed();
    expect(parts).toEqual(['de 0', 'de 295', 'de 595', 'en 0', 'en 295', 'en 595']);
    expect(await list()).toMatchObject([
      { language: 'de', status: 'completed' },
      { language: 'en', status: 'completed' },
    ]);
  });

  test('of a short video do not wait for all parts of a long one that came first', async () => {
    const long = await storeEncodedVideo(user, web, { languages: ['en'], frameCount: 30 * 700 });
    for (const { video } of [long, whole]) {
      await callApi(`POST /api/videos/${video.ulid}/captions/generate`, { token, body: { language: 'en' } });
      await handler({ videoUlid: video.ulid });
    }
    const order: string[] = [];
    for (let calls = 0; calls < 4; calls++) {
      const { id, spec } = (await leaseNext(transcriber()))!;
      order.push(`${id.startsWith(ulid()) ? 'short' : 'long'} ${(spec as TranscribeSpec).fromSeconds}`);
    }
    expect(order).toEqual(['long 0', 'short 0', 'long 295', 'long 595']);
  });

  test('of one user do not wait for those of all videos for which another user asked before', async () => {
    const [own, other] = [whole.video.ulid, await createPerson()];
    for (let videos = 0; videos < 3; videos++) {
      const { video } = await storeEncodedVideo(other.user, web, { languages: ['en'] });
      const request = { token: other.token, body: { language: 'en' } };
      await callApi(`POST /api/videos/${video.ulid}/captions/generate`, request);
      await handler({ videoUlid: video.ulid });
    }
    await generate({ language: 'en' });
    await proceed();
    const order: string[] = [];
    for (let calls = 0; calls < 4; calls++) {
      order.push((await leaseNext(transcriber()))!.id.startsWith(own) ? 'own' : 'other');
    }
    expect(order.toSorted()).toEqual(['other', 'other', 'other', 'own']);
    expect(order.indexOf('own')).toBeLessThan(2);
  });

  test('are one request, however often they are asked for', async () => {
    const first = await generate();
    expect((await generate()).json).toEqual(first.json);
    expect(await list()).toHaveLength(1);
  });

  test('are one request when they are asked for at the same time, and the time for them is held once', async () => {
    const reserved = async () => (await sumReserved(user.ulid)).cpuMilliseconds;
    await generate({ language: 'fr' });
    const ofOne = await reserved();
    const asked = await Promise.all([1, 2, 3, 4].map(() => generate({ language: 'de' })));
    expect(asked.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
    expect(new Set(asked.map(({ json }) => json.data.ulid)).size).toBe(1);
    expect(await reserved()).toBe(2 * ofOne);
  });

  test('of a video in which nobody speaks fail', async () => {
    await generate();
    await hear(null, []);
    expect(await list()).toMatchObject([{ status: 'failed', error: 'Nobody speaks in the video.' }]);
    expect(await events()).toEqual(['captions.failed']);
  });

  test('end with a reason when no worker can use its model', async () => {
    await generate({ language: 'de' });
    await proceed();
    const lease = (await leaseNext(transcriber()))!;
    await reportFailed({ lease: lease.id, code: 'MODEL_UNUSABLE', message: 'The model is cut.', fatal: true });
    await proceed();
    const error = 'The model of speech of this service cannot be used. Tell its operator.';
    expect(await list()).toMatchObject([{ language: 'de', status: 'failed', error }]);
  });

  test('end with another reason when the models of all workers know other languages', async () => {
    vi.useFakeTimers({ now: Date.now(), toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    await generate({ language: 'de' });
    for (let attempt = 0; attempt < 5; attempt++) {
      await proceed();
      const lease = (await leaseNext(transcriber()))!;
      await reportFailed({ lease: lease.id, code: 'MODEL_UNUSABLE', message: 'It knows only English.', fatal: false });
      vi.setSystemTime(Date.now() + 61_000);
    }
    await proceed();
    const error = 'No worker has a model of speech for this language.';
    expect(await list()).toMatchObject([{ language: 'de', status: 'failed', error }]);
  });

  test('are continued within two minutes when a call was lost, and again only a minute later', async () => {
    await generate({ language: 'de' });
    functions.resetHistory();
    const calls = () =>
      functions
        .commandCalls(InvokeCommand)
        .map(({ args: [{ input }] }) => JSON.parse(String(input.Payload)))
        .filter(({ videoUlid, isDue }) => videoUlid === ulid() && isDue);
    await reap();
    expect(calls()).toEqual([]);
    vi.useFakeTimers({ now: Date.now() + 61_000, toFake: ['Date'] });
    try {
      await reap();
      expect(calls()).toEqual([{ videoUlid: ulid(), isDue: true }]);
      await handler(calls()[0]);
      expect(await leaseNext(transcriber())).toMatchObject({ kind: 'transcribe' });
      await reap();
      expect(calls()).toHaveLength(1);
    } finally {
      vi.useRealTimers();
    }
  });

  test('are tried again after the worker was lost', async () => {
    await generate({ language: 'de' });
    await proceed();
    const lease = (await leaseNext(transcriber()))!;
    await reportFailed({ lease: lease.id, code: 'WORKER_STOPPED', message: 'The worker stopped.', fatal: false });
    await hear('de', said('Guten Morgen zusammen.'));
    expect(await list()).toMatchObject([{ language: 'de', status: 'completed' }]);
  });

  test('have five attempts, whatever became of those that were asked for before', async () => {
    const fails = async () => {
      await proceed();
      const lease = (await leaseNext(transcriber()))!;
      await reportFailed({ lease: lease.id, code: 'ENCODER_FAILED', message: 'It crashed.', fatal: false });
      await proceed();
    };
    vi.useFakeTimers({ now: Date.now(), toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    for (let request = 0; request < 5; request++) {
      await generate({ language: 'de' });
      await fails();
      await callApi(`DELETE /api/videos/${ulid()}/captions/de`, { token });
    }
    await generate({ language: 'de' });
    const states: string[] = [];
    for (let attempt = 0; attempt < 5; attempt++) {
      await fails();
      states.push((await list())[0].status);
      vi.setSystemTime(Date.now() + 61_000);
    }
    expect(states).toEqual(['pending', 'pending', 'pending', 'pending', 'failed']);
  });

  test('do not replace captions of the language unless asked to, and then stay until the new ones are made', async () => {
    await upload('Hallo');
    expect(await generate({ language: 'de' })).toMatchObject({ status: 409, json: { code: 'captions_exist' } });
    expect((await generate({ language: 'de', replace: true })).json.data).toMatchObject({ status: 'pending' });
    expect((await list())[0].url).not.toBeNull();
    await hear('de', said('Guten Morgen zusammen.'));
    expect(await list()).toMatchObject([{ origin: 'generated', status: 'completed', label: 'German (automatic)' }]);
  });

  test('in a language that turns out to have captions fail, and those stay', async () => {
    await upload('Hallo');
    await generate();
    await hear('de', said('Guten Morgen zusammen.'));
    expect(await list()).toMatchObject([
      { language: 'de', origin: 'upload', status: 'completed' },
      { language: 'und', status: 'failed', error: 'The video has captions of the spoken language (de).' },
    ]);
  });

  test.each(['uploaded', 'deleted'])('are not made any more when captions were %s meanwhile', async (how) => {
    await generate({ language: 'de' });
    await proceed();
    if (how === 'uploaded') await upload('Hallo');
    else await callApi(`DELETE /api/videos/${ulid()}/captions/de`, { token });
    await proceed();
    expect(await findJobsOfKind(ulid(), 1, 'transcribe')).toMatchObject([{ status: 'CANCELLED' }]);
    expect(await leaseNext(transcriber())).toBeUndefined();
  });

  test('of an edited file are those of the user', async () => {
    await generate({ language: 'de' });
    await hear('de', said('Guten Morgen zusammen.'));
    await upload('Guten Morgen!');
    expect(await list()).toMatchObject([{ language: 'de', origin: 'upload' }]);
  });

  test('need what is left of the quota', async () => {
    const quota = { uploadBytesPerMonth: null, encodingCpuSecondsPerMonth: 1 };
    await write({ update: keys.user(user.ulid), set: { quota } });
    expect(await generate()).toMatchObject({ status: 402, json: { code: 'quota_exceeded' } });
  });

  test('count for the new owner of a video that gets another one while they are made', async () => {
    const heir = await createPerson();
    await generate();
    await proceed();
    const reserved = () => Promise.all([user, heir.user].map(({ ulid }) => sumReserved(ulid)));
    const [before] = await reserved();
    expect(before!.cpuMilliseconds).toBeGreaterThan(0);
    await changeVideo(whole.video, user, { owner: heir.user });
    expect(await reserved()).toEqual([{ uploadBytes: 0, cpuMilliseconds: 0 }, before]);
    await hear('de', said('Guten Morgen zusammen.'));
    expect(await reserved()).toEqual(Array(2).fill({ uploadBytes: 0, cpuMilliseconds: 0 }));
    const { json } = await callApi(`GET /api/videos/${ulid()}/captions`, { token: heir.token });
    expect(json.data).toMatchObject([{ language: 'de', origin: 'generated', status: 'completed' }]);
    expect(await removeStaleReservations(user.ulid)).toBe(0);
  });

  test.each([
    ['a language that models do not know', { language: 'tlh' }, 422],
    ['no language tag', { language: 'not a tag' }, 422],
  ])('are refused with %s', async (_, body, status) => {
    expect((await generate(body)).status).toBe(status);
  });

  test('need a model', async () => {
    process.env.TRANSCRIPTION = 'off';
    expect(await generate()).toMatchObject({ status: 409, json: { code: 'transcription_unavailable' } });
  });

  test('need a completed video', async () => {
    const { video } = await storeVideo(user, { status: 'running' });
    const refused = await callApi(`POST /api/videos/${video.ulid}/captions/generate`, { token, body: {} });
    expect(refused).toMatchObject({ status: 409, json: { code: 'video_not_completed' } });
  });
});

const upload = (text: string) =>
  callApi(`PUT /api/videos/${ulid()}/captions/de`, {
    token,
    text: `WEBVTT\n\n00:01.000 --> 00:04.000\n${text}\n`,
    headers: { 'content-type': 'text/vtt' },
  });
