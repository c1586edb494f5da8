import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { XMLParser } from 'fast-xml-parser';
import HLS from 'hls-parser';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readText } from '../../../functions/aws/object-store.ts';
import { addCaption } from '../../../functions/captions/add-caption.ts';
import { publishCaptions } from '../../../functions/captions/publish-captions.ts';
import { buildOutput } from '../../../functions/packaging/build-output.ts';
import { reconcileCaptions } from '../../../functions/reconcile/reconcile-captions.ts';
import { swapOutput } from '../../../functions/runs/stream-edit-run/swap-output.ts';
import { keepPlan, readPlan } from '../../../functions/stored-plans/stored-plans.ts';
import { firstDue } from '../../../functions/table/items/due-pages.ts';
import type { User } from '../../../functions/table/records.ts';
import { dueCaptions, findCaptions } from '../../../functions/table/videos/caption-table.ts';
import { hideVideo } from '../../../functions/table/videos/hide-video.ts';
import { findWholeVideo, type WholeVideo } from '../../../functions/table/videos/video-table.ts';
import { timestamp } from '../../../shared/clock.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { readHistory } from '../../fixtures/read-history.ts';
import { storeEncodedVideo } from '../../fixtures/records/store-encoded-video.ts';
import { storeProxy, storeVideo } from '../../fixtures/records/store-video.ts';
import { useEmptyPool } from '../../fixtures/use-empty-pool.ts';
import { callApi, useWholeApi } from '../../fixtures/use-whole-api.ts';

useWholeApi();
useEmptyPool();

const web = {
  version: 1,
  video: [{ name: 'v720', codec: 'h264', height: 720, bitrate: '2800k' }],
  audio: [{ name: 'stereo', codec: 'aac', bitrate: '128k' }],
  outputs: [
    { name: 'hls', format: 'hls', segment_duration: 4 },
    { name: 'ts', format: 'hls', segment_duration: 4, container: 'ts' },
    { name: 'dash', format: 'dash', segment_duration: 4 },
  ],
};
const hello = 'WEBVTT\n\n00:01.000 --> 00:04.000\nHello\n\n00:09.500 --> 00:11.000\nBye\n';
const subrip = '1\n00:00:01,000 --> 00:00:04,000\nHallo\n';

let user: User;
let token: string;
let whole: WholeVideo;
beforeEach(async () => {
  if (whole) return;
  ({ user, token } = await createPerson());
  await storeProxy('edge.example.com');
  whole = await storeEncodedVideo(user, web);
});

const path = (rest = '', ulid = whole.video.ulid) => `/api/videos/${ulid}/captions${rest}` as const;
const put = (rest: string, text: string, type = 'text/vtt', ulid = whole.video.ulid) =>
  callApi(`PUT ${path(rest, ulid)}`, { token, text, headers: { 'content-type': type } });
const list = async (ulid = whole.video.ulid) => (await callApi(`GET ${path('', ulid)}`, { token })).json.data;
const remove = (rest: string) => callApi(`DELETE ${path(rest)}`, { token });
const clear = async (): Promise<void> => {
  for (const { language, kind } of await list()) await remove(`/${language}?kind=${kind}`);
};

/** The entry file of an output, and a file beside it. */
async function manifest(name: string, ulid = whole.video.ulid): Promise<{ text: string; folder: string }> {
  const output = (await findWholeVideo(ulid))!.outputs.find((one) => one.name === name)!;
  const folder = output.entryKey!.slice(0, output.entryKey!.lastIndexOf('/') + 1);
  return { text: (await readText(output.entryKey!))!.body, folder };
}

const fileAt = async (folder: string, relative: string) =>
  (await readText(new URL(relative, `s3://b/${folder}`).pathname.slice(1)))?.body;

async function subtitles(name: string, ulid?: string) {
  const { text, folder } = await manifest(name, ulid);
  const { variants } = HLS.parse(text) as HLS.types.MasterPlaylist;
  return { folder, text, renditions: variants[0]!.subtitles };
}

/** Videos that reconcile would repair. */
async function unpublished(): Promise<string[]> {
  const found: string[] = [];
  for await (const page of dueCaptions()) found.push(...page);
  return found;
}

async function objects(): Promise<Map<string, string>> {
  const { Contents = [] } = await new S3Client({}).send(new ListObjectsV2Command({ Bucket: process.env.BUCKET_NAME }));
  return new Map(Contents.map(({ Key, ETag }) => [Key!, ETag!]));
}

afterEach(clear);

test('an upload is created, replaced, listed, and listed in the sources with a URL that plays', async () => {
  const created = await put('/DE-at?label=Deutsch&default=true', hello);
  expect(created).toMatchObject({
    status: 201,
    json: {
      data: { language: 'de-AT', kind: 'captions', label: 'Deutsch', default: true, origin: 'upload', error: null },
    },
  });
  const replaced = await put('/de-AT', subrip, 'application/x-subrip; charset=utf-8');
  expect(replaced).toMatchObject({ status: 200, json: { data: { ulid: created.json.data.ulid, default: false } } });
  expect(replaced.json.data.label).toBe('Österreichisches Deutsch');
  expect(await put('/de-AT?kind=chapters', hello)).toMatchObject({ status: 201 });
  const listed = await list();
  expect(listed.map(({ kind, status }: Record<string, string>) => [kind, status])).toEqual([
    ['captions', 'completed'],
    ['chapters', 'completed'],
  ]);
  const { json } = await callApi(`GET /api/videos/${whole.video.ulid}/sources`, { token });
  expect(json.captions).toMatchObject([
    {
      language: 'de-AT',
      kind: 'captions',
      label: 'Österreichisches Deutsch',
      url: expect.stringMatching(/de-AT\.vtt$/),
    },
    { kind: 'chapters' },
  ]);
  const key = new URL(listed[0].url).pathname.replace(/^\/s\/[^/]+\//, '');
  expect((await readText(key))!.body).toBe('WEBVTT\n\n00:00:01.000 --> 00:00:04.000\nHallo\n');
});

test('manifests list the captions, and no media file changes', async () => {
  const before = await objects();
  await put('/en?default=1', hello);
  await put('/fr?kind=forced', hello);
  await put('/en?kind=subtitles', hello);
  await put('/en?kind=chapters', hello);
  for (const name of ['hls', 'ts']) {
    const { renditions, folder } = await subtitles(name);
    expect(
      renditions.map(({ name, language, forced, isDefault, autoselect }) => [
        name,
        language,
        forced,
        isDefault,
        autoselect,
      ]),
    ).toEqual([
      ['English (CC)', 'en', false, true, true],
      ['English', 'en', false, false, true],
      ['Français', 'fr', true, false, true],
    ]);
    expect(renditions[0]!.characteristics).toContain('describes-music-and-sound');
    const playlist = (await fileAt(folder, renditions[0]!.uri!))!;
    const parsed = HLS.parse(playlist) as HLS.types.MediaPlaylist;
    expect(parsed.segments.map(({ duration }) => duration)).toEqual([12]);
    expect(parsed.endlist).toBe(true);
    const folderOfSegments = `${folder}${renditions[0]!.uri!.replace(/[^/]*$/, '')}`;
    expect(await fileAt(folderOfSegments, parsed.segments[0]!.uri)).toBe(
      `WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:${name === 'ts' ? 126000 : 0},LOCAL:00:00:00.000\n\n00:00:01.000 --> 00:00:04.000\nHello\n\n00:00:09.500 --> 00:00:11.000\nBye\n`,
    );
  }
  const { text, folder } = await manifest('dash');
  const { MPD } = new XMLParser({ ignoreAttributes: false, isArray: (name) => name === 'Role' }).parse(text);
  const sets = MPD.Period.AdaptationSet.filter((set: Record<string, string>) => set['@_contentType'] === 'text');
  expect(sets).toMatchObject([
    { '@_lang': 'en', '@_mimeType': 'text/vtt', Role: [{ '@_value': 'caption' }, { '@_value': 'main' }] },
    { '@_lang': 'en', Role: [{ '@_value': 'subtitle' }] },
    { '@_lang': 'fr', Role: [{ '@_value': 'forced-subtitle' }] },
  ]);
  expect(await fileAt(folder, sets[0].Representation.BaseURL)).toContain('Hello');
  const after = await objects();
  for (const [key, etag] of before) expect(after.get(key), key).toBe(etag);
  expect(await unpublished()).not.toContain(whole.video.ulid);

  await clear();
  expect((await subtitles('hls')).text).not.toContain('SUBTITLES');
  expect((await manifest('dash')).text).not.toContain('contentType="text"');
});

test('a label or text that looks like a part of a manifest stays a label or text', async () => {
  const label = encodeURIComponent('a",URI="https://evil.example/x" <b>&');
  expect(await put(`/en?label=${label}`, 'WEBVTT\n\n00:01.000 --> 00:02.000\n#EXT-X-ENDLIST\n')).toMatchObject({
    status: 201,
  });
  const { renditions, text } = await subtitles('hls');
  expect(renditions).toMatchObject([{ name: 'a,URI=https://evil.example/x <b>&' }]);
  expect(text).not.toContain('URI="https://evil');
  expect((await manifest('dash')).text).toContain('&lt;b&gt;&amp;');
});

describe('is refused:', () => {
  test.each([
    ['a language with a path', '/..%2F..%2Fx', 404, /Not found/],
    ['a language with an encoded path', '/..%252F..%252Fx', 422, /BCP 47/],
    ['a language that is not a tag', '/german_', 422, /BCP 47/],
    ['a long language', `/de-${'x-abcdefgh'.repeat(9)}`, 422, /BCP 47/],
    ['an unknown kind', '/de?kind=__proto__', 422, /kind/],
    ['a label with a line break', '/de?label=a%0Ab', 422, /label/],
    ['a label that is too long', `/de?label=${'x'.repeat(101)}`, 422, /label/],
    ['a default that is no boolean', '/de?default=maybe', 422, /default/],
  ])('%s', async (_, rest, status, message) => {
    expect(await put(rest, hello)).toMatchObject({ status, json: { message: expect.stringMatching(message) } });
  });

  test.each([
    ['no body', '', 'text/vtt', 422, /Send the file/],
    ['no cue', 'WEBVTT\n', 'text/vtt', 422, /no cue/],
    ['2 MiB of arrows', '-->'.repeat(699_050), 'text/vtt', 422, /no cue/],
    ['2 MiB of NUL bytes', '\0'.repeat(2 ** 21), 'text/vtt', 422, /no cue/],
    ['more than 2 MiB', ' '.repeat(2 ** 21 + 1), 'text/vtt', 413, /too large/],
    ['JSON', '{}', 'application/json', 415, /text\/vtt or application\/x-subrip/],
    ['UTF-16 that the gateway has damaged', '\ufffd\ufffdW\0\ufffd\0', 'text/vtt', 422, /UTF-16/],
  ])('%s', async (_, text, type, status, message) => {
    expect(await put('/de', text, type)).toMatchObject({ status, json: { message: expect.stringMatching(message) } });
    expect(await list()).toEqual([]);
  });

  test('a video or captions that do not exist', async () => {
    const stranger = await createPerson();
    for (const request of [`GET ${path()}`, `PUT ${path('/de')}`, `DELETE ${path('/de')}`] as const) {
      expect(await callApi(request, { token: stranger.token })).toMatchObject({ status: 404 });
    }
    expect(await remove('/de')).toMatchObject({ status: 404 });
  });
});

test('UTF-16 is read, also from a text of the gateway where that is possible', async () => {
  const little = Buffer.from(`\ufeff${hello}`, 'utf16le');
  expect(await put('/en', little.toString('utf8'))).toMatchObject({ status: 201 });
  expect(await put('/en', Buffer.from(little).swap16().toString('utf8'))).toMatchObject({ status: 200 });
});

test('uploads at the same time are all stored and listed, each language once', async () => {
  const languages = ['de', 'en', 'fr', 'it', 'es', 'de', 'en'];
  const answers = await Promise.all(languages.map((language) => put(`/${language}?default=true`, hello)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 201, 201, 201, 201, 201]);
  const { renditions } = await subtitles('hls');
  expect(renditions.map(({ language }) => language)).toEqual(['de', 'en', 'es', 'fr', 'it']);
  expect(renditions.filter(({ isDefault }) => isDefault)).toHaveLength(1);
  expect((await list()).filter((one: { default: boolean }) => one.default)).toHaveLength(1);
});

test('a video has at most 100 captions', async () => {
  const { video } = await storeVideo(user, { status: 'pending', outputs: [] });
  const cues = [{ startMs: 0, endMs: 1, settings: '', text: 'a' }];
  for (let index = 0; index < 100; index++) {
    const language = `en-x-${index}`;
    await addCaption(video, { language, kind: 'captions', label: 'a', isDefault: false, origin: 'upload', cues }, null);
  }
  expect(await put('/de', hello, 'text/vtt', video.ulid)).toMatchObject({ status: 422 });
  expect(await put('/en-x-1', hello, 'text/vtt', video.ulid)).toMatchObject({ status: 200 });
});

test('reconciliation lists captions that were stored when their call died', async () => {
  const cues = [{ startMs: 0, endMs: 1000, settings: '', text: 'a' }];
  const caption = { language: 'nl', kind: 'subtitles', label: 'N', isDefault: false, origin: 'upload', cues } as const;
  vi.useFakeTimers({ now: Date.now() - 120_000, toFake: ['Date'] });
  await addCaption(whole.video, caption, user);
  vi.useRealTimers();
  expect(await unpublished()).toContain(whole.video.ulid);
  await Promise.all([
    reconcileCaptions({ untilMilliseconds: Date.now() + 60_000, concurrency: 2 }),
    publishCaptions(whole.video.ulid),
  ]);
  expect((await subtitles('hls')).renditions).toMatchObject([{ language: 'nl' }]);
  expect(await unpublished()).not.toContain(whole.video.ulid);
});

test('captions that change while a stream edit rebuilds an output are in the rebuilt manifests', async () => {
  const edited = await storeEncodedVideo(user, web);
  const { ulid } = edited.video;
  const output = edited.outputs.find(({ name }) => name === 'hls')!;
  const built = await buildOutput(ulid, 1, output);
  await put('/da', hello, 'text/vtt', ulid);
  const plan = await readPlan(ulid, 1);
  const carried = Object.fromEntries(plan.streams.map(({ name }) => [name, 1]));
  await keepPlan(ulid, 2, { ...plan, groups: [], audio: [], carried });
  // The edit has read the output and its captions before the upload.
  const edit = { videoUlid: ulid, planNumber: 2, action: 'remove', streamUlid: output.streams[0] } as never;
  await swapOutput(edit, output, built);
  expect((await findWholeVideo(ulid))!.outputs.find(({ name }) => name === 'hls')).toMatchObject({ builtByPlan: 2 });
  expect((await subtitles('hls', ulid)).renditions).toEqual([]);
  await publishCaptions(ulid);
  expect((await subtitles('hls', ulid)).renditions).toMatchObject([{ language: 'da' }]);
});

test('each change is an event and an entry in the activity, and replaced files are retired', async () => {
  await put('/sv', hello);
  await put('/sv', hello);
  await remove('/sv');
  const lines = await readHistory(user, 3);
  expect(lines.map(({ logName, event }) => [logName, event])).toEqual([
    ['captions', 'deleted'],
    ['captions', 'updated'],
    ['captions', 'created'],
  ]);
  const { json } = await callApi('GET /api/events?per_page=100', { token });
  const added = json.data.filter(({ type }: { type: string }) => type === 'captions.added');
  expect(added.length).toBeGreaterThanOrEqual(2);
  // They are due when no viewer can be reading them.
  expect(await firstDue('retired', 10, { upTo: timestamp() })).toEqual([]);
});

test('captions of a deleted video are not found', async () => {
  const deleted = await storeVideo(user, { status: 'pending', outputs: [] });
  await put('/en', hello, 'text/vtt', deleted.video.ulid);
  await hideVideo(deleted.video, user);
  expect(await put('/en', hello, 'text/vtt', deleted.video.ulid)).toMatchObject({ status: 404 });
  const { captions } = await findCaptions(deleted.video.ulid);
  await expect(addCaption(deleted.video, { ...captions[0]!, cues: [] }, user)).rejects.toMatchObject({
    statusCode: 404,
  });
});

test('captions are a text with times, for those who may see the video', async () => {
  await put('/de', hello);
  const text = await callApi(`GET ${path('/de/text')}`, { token });
  expect(text).toMatchObject({ status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' } });
  expect(text.text).toBe('[00:00:01.000] Hello\n[00:00:09.500] Bye\n');
  expect((await callApi(`GET ${path('/de/text?kind=subtitles')}`, { token })).status).toBe(404);
  expect((await callApi(`GET ${path('/fr/text')}`, { token })).status).toBe(404);
  const { token: foreign } = await createPerson();
  expect((await callApi(`GET ${path('/de/text')}`, { token: foreign })).status).toBe(404);
  await clear();
});
