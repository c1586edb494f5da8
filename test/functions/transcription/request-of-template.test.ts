import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, test } from 'vitest';
import { leaseNext } from '../../../functions/queue/lease-next.ts';
import { reportDone } from '../../../functions/queue/report.ts';
import { write } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import { queryRange } from '../../../functions/table/items/ranges.ts';
import type { User } from '../../../functions/table/records.ts';
import { handler } from '../../../functions/transcription/continue-transcriptions.lambda.ts';
import { requestCaptionsOfTemplate } from '../../../functions/transcription/request-of-template.ts';
import type { Word } from '../../../shared/protocol/jobs.ts';
import type { TextTrack } from '../../../shared/protocol/text-tracks.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { clearQueue } from '../../fixtures/records/queue-probe.ts';
import { storeEncodedVideo } from '../../fixtures/records/store-encoded-video.ts';
import { useEmptyPool } from '../../fixtures/use-empty-pool.ts';
import { callApi, useWholeApi } from '../../fixtures/use-whole-api.ts';

useWholeApi();
useEmptyPool();
mockClient(LambdaClient).on(InvokeCommand).resolves({});

const query = (captions: object) => ({
  version: 1,
  video: [{ name: 'v720', codec: 'h264', height: 720, bitrate: '2800k' }],
  audio: [{ name: 'stereo', codec: 'aac', bitrate: '128k', languages: 'all' }],
  outputs: [{ name: 'hls', format: 'hls', segment_duration: 4 }],
  captions,
});

let user: User;
let token: string;
beforeEach(async () => {
  process.env.TRANSCRIPTION = 'on';
  await clearQueue();
  ({ user, token } = await createPerson());
});

const subtitles: TextTrack = {
  streamIndex: 3,
  codec: 'subrip',
  language: 'de',
  title: null,
  isDefault: false,
  isForced: false,
  isForDeaf: false,
  isCommentary: false,
};

async function completed(captions: object, source: { languages: string[]; textTracks?: TextTrack[] }) {
  const { video } = await storeEncodedVideo(user, query(captions), source);
  expect(video.status).toBe('completed');
  return video.ulid;
}

const list = async (ulid: string) => {
  const { data } = (await callApi(`GET /api/videos/${ulid}/captions`, { token })).json;
  return data.map(({ language, kind, status, origin, error }: Record<string, unknown>) => ({
    language,
    kind,
    status,
    origin,
    ...(error !== null && { error }),
  }));
};
const pending = (language: string) => ({ language, kind: 'captions', status: 'pending', origin: 'generated' });
const events = async () =>
  (await queryRange(keys.event(user.ulid, '').pk, '0', 'Z', 100))
    .map(({ type }) => type)
    .filter((type) => String(type).startsWith('captions.'));
const upload = (ulid: string, language: string) =>
  callApi(`PUT /api/videos/${ulid}/captions/${language}`, {
    token,
    text: 'WEBVTT\n\n00:01.000 --> 00:04.000\nHallo\n',
    headers: { 'content-type': 'text/vtt' },
  });
const said = (text: string): Word[] =>
  text.split(' ').map((word, index) => ({ text: ` ${word}`, startMs: 1000 + 400 * index, endMs: 1300 + 400 * index }));
const reserved = async () =>
  (await callApi('GET /api/me', { token })).json.usage.encoding_cpu_seconds.reserved as number;
let workers = 0;

/** Has the next transcriber report what it has heard. */
async function hear(ulid: string, language: string, text: string) {
  await handler({ videoUlid: ulid });
  const caller = { node: 'pool', worker: `s${++workers}`, epoch: 'e', transcribes: true };
  const lease = (await leaseNext(caller))!;
  await reportDone(caller, { lease: lease.id, result: { language, words: said(text), cpuSeconds: 2 } });
  await handler({ videoUlid: ulid });
  return lease;
}

describe('a template that generates captions', () => {
  test('has those of each spoken language made after the video is completed, once', async () => {
    const ulid = await completed({ generate: 'missing' }, { languages: ['eng', 'de', 'de'] });
    expect(await list(ulid)).toEqual([pending('de'), pending('en')]);
    await callApi(`DELETE /api/videos/${ulid}/captions/de`, { token });
    await requestCaptionsOfTemplate(ulid);
    expect(await list(ulid)).toEqual([pending('en')]);
    expect((await hear(ulid, 'en', 'Good morning to all of you.')).spec).toMatchObject({ language: 'en' });
    expect(await list(ulid)).toMatchObject([{ language: 'en', status: 'completed' }]);
    expect(await events()).toEqual(['captions.added']);
  });

  test('has the language of a track detected that does not name one', async () => {
    const ulid = await completed({ generate: 'missing' }, { languages: ['und'] });
    expect(await list(ulid)).toEqual([pending('und')]);
    expect((await hear(ulid, 'de', 'Guten Morgen zusammen.')).spec).toMatchObject({ language: null });
    expect(await list(ulid)).toMatchObject([{ language: 'de', status: 'completed', origin: 'generated' }]);
  });

  test('makes no captions of a language that has text tracks, also of the source', async () => {
    const source = { languages: ['en', 'de'], textTracks: [subtitles] };
    const ulid = await completed({ generate: 'missing' }, source);
    expect((await list(ulid)).filter(({ origin }: { origin: string }) => origin === 'generated')).toEqual([
      pending('en'),
    ]);
  });

  test('leaves out a detected language that has captions or is not wanted, without an event', async () => {
    const found = await completed({ generate: 'missing' }, { languages: ['und'] });
    await upload(found, 'de');
    await hear(found, 'de', 'Guten Morgen zusammen.');
    expect(await list(found)).toMatchObject([{ language: 'de', origin: 'upload' }]);
    const unwanted = await completed({ generate: 'always', generate_languages: ['fr'] }, { languages: ['und'] });
    await hear(unwanted, 'de', 'Guten Morgen zusammen.');
    expect(await list(unwanted)).toEqual([]);
    expect(await events()).toEqual(['captions.added']);
  });

  test('makes those of the languages that it names', async () => {
    const ulid = await completed({ generate: 'missing', generate_languages: ['de'] }, { languages: ['en', 'de-AT'] });
    expect(await list(ulid)).toEqual([pending('de-AT')]);
  });

  test('replaces captions of the source when it always makes them', async () => {
    const source = { languages: ['de'], textTracks: [{ ...subtitles, isForDeaf: true }] };
    const ulid = await completed({ generate: 'always' }, source);
    await hear(ulid, 'de', 'Guten Morgen zusammen.');
    expect(await list(ulid)).toMatchObject([{ language: 'de', origin: 'generated', status: 'completed' }]);
  });

  test.each<[string, object, string]>([
    ['without the setting', {}, 'on'],
    ['that is off', { generate: 'off' }, 'on'],
    ['without a model', { generate: 'missing' }, 'off'],
  ])('%s makes none', async (_, captions, model) => {
    process.env.TRANSCRIPTION = model;
    expect(await list(await completed(captions, { languages: ['en'] }))).toEqual([]);
  });

  test('has a reason for the captions that the quota does not allow, and the video is completed', async () => {
    const ulid = await completed({}, { languages: ['en'] });
    const quota = { uploadBytesPerMonth: null, encodingCpuSecondsPerMonth: 5 };
    await write({ update: keys.user(user.ulid), set: { quota } });
    await write({ update: keys.video(ulid), set: { query: query({ generate: 'missing' }) } });
    await requestCaptionsOfTemplate(ulid);
    await handler({ videoUlid: ulid });
    const error = expect.stringContaining('The quota of 5 CPU seconds a month does not allow this');
    expect(await list(ulid)).toEqual([{ ...pending('en'), status: 'failed', error }]);
    expect(await events()).toEqual(['captions.failed']);
  });
});

describe('the CPU time of captions from speech', () => {
  test('is held until they are made, part by part', async () => {
    const ulid = await completed({ generate: 'missing' }, { languages: ['und'] });
    const before = await reserved();
    expect(before).toBeGreaterThan(5);
    await hear(ulid, 'de', 'Guten Morgen zusammen.');
    expect(await reserved()).toBe(0);
  });

  test.each(['uploaded', 'deleted', 'deleted with their video'])('is released when they are %s', async (how) => {
    const ulid = await completed({ generate: 'missing' }, { languages: ['de'] });
    await handler({ videoUlid: ulid });
    expect(await reserved()).toBeGreaterThan(5);
    if (how === 'uploaded') await upload(ulid, 'de');
    else await callApi(`DELETE /api/videos/${ulid}${how === 'deleted' ? '/captions/de' : ''}`, { token });
    expect(await reserved()).toBe(0);
    await handler({ videoUlid: ulid });
    expect(await leaseNext({ node: 'pool', worker: 'w', epoch: 'e', transcribes: true })).toBeUndefined();
  });

  test('counts against the quota of other requests while it is held', async () => {
    const ulid = await completed({}, { languages: ['de', 'en'] });
    const quota = { uploadBytesPerMonth: null, encodingCpuSecondsPerMonth: 8 };
    await write({ update: keys.user(user.ulid), set: { quota } });
    const generate = (language: string) =>
      callApi(`POST /api/videos/${ulid}/captions/generate`, { token, body: { language } });
    expect((await generate('de')).status).toBe(202);
    expect(await generate('en')).toMatchObject({ status: 402, json: { code: 'quota_exceeded' } });
    await callApi(`DELETE /api/videos/${ulid}/captions/de`, { token });
    expect((await generate('en')).status).toBe(202);
  });
});
