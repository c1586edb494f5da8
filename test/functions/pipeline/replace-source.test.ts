import { SFNClient } from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { expect, test } from 'vitest';
import { objectBytes, writeObject } from '../../../functions/aws/object-store.ts';
import { addCaption } from '../../../functions/captions/add-caption.ts';
import { newUlid } from '../../../functions/common/ids.ts';
import { jobFolder } from '../../../functions/job-results/job-files.ts';
import { handler as addCaptions } from '../../../functions/pipeline/add-captions.lambda.ts';
import { handler as createVideo } from '../../../functions/pipeline/create-video.lambda.ts';
import { handler as packageOutput } from '../../../functions/pipeline/package-output.lambda.ts';
import { handler as plan } from '../../../functions/pipeline/plan.lambda.ts';
import { handler as publish } from '../../../functions/pipeline/publish.lambda.ts';
import { handler as startPackaging } from '../../../functions/pipeline/start-packaging.lambda.ts';
import { completeVideo } from '../../../functions/runs/video-run/complete-video.ts';
import { failVideo } from '../../../functions/runs/video-run/fail-video.ts';
import { handler as sweep } from '../../../functions/schedule/sweep.lambda.ts';
import { serializeSources } from '../../../functions/serializers/serialize-sources.ts';
import { serializeVideo } from '../../../functions/serializers/serialize-video.ts';
import { readPlan } from '../../../functions/stored-plans/stored-plans.ts';
import { getItem, queryItems, write, writeBatch } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import type { Upload, User } from '../../../functions/table/records.ts';
import { uploadRecord } from '../../../functions/table/records.ts';
import { findCaptions } from '../../../functions/table/videos/caption-table.ts';
import { hideVideo } from '../../../functions/table/videos/hide-video.ts';
import { reprocessVideo } from '../../../functions/table/videos/reprocess-video.ts';
import { findVideo, findWholeVideo, type WholeVideo } from '../../../functions/table/videos/video-table.ts';
import { openUploadItem } from '../../../functions/table/writes/upload-writes.ts';
import { timestamp } from '../../../shared/clock.ts';
import { uploadKey } from '../../../shared/object-keys.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { encodeAll, finishJob, probeSource, storeEncodedVideo } from '../../fixtures/records/store-encoded-video.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useEdgeStore } from '../../fixtures/use-edge-store.ts';
import { useEmptyPool } from '../../fixtures/use-empty-pool.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();
useEmptyPool();
useEdgeStore();
mockClient(SFNClient).onAnyCommand().resolves({});

const web = {
  version: 1,
  video: [{ name: 'v720', codec: 'h264', height: 720, bitrate: '2800k' }],
  audio: [{ name: 'stereo', codec: 'aac' }],
  outputs: [
    { name: 'hls', format: 'hls', segment_duration: 4 },
    { name: 'dash', format: 'dash', segment_duration: 4 },
  ],
  thumbnails: { poster: {} },
};
/** The old one has twelve seconds. */
const newSource = { frameCount: 240, durationSeconds: 8, languages: ['en'] };
const subtitles = {
  streamIndex: 3,
  codec: 'subrip',
  language: 'en',
  title: null,
  isDefault: false,
  isForced: false,
  isCommentary: false,
  isForDeaf: false,
};

const read = async (ulid: string): Promise<WholeVideo> => (await findWholeVideo(ulid))!;

/** A completed video, and the upload of another file for it, which is stored. */
async function prepared(changes: Partial<Upload> = {}) {
  const { user } = await createPerson();
  const old = await storeEncodedVideo(user, web);
  const { video } = old;
  await writeObject(video.sourceKey, 'old', 'video/mp4');
  return { user, old, upload: await storeNewSource(user, old, changes) };
}

async function storeNewSource(user: User, { video }: WholeVideo, changes: Partial<Upload> = {}): Promise<Upload> {
  const ulid = newUlid();
  const upload: Upload = {
    ulid,
    ownerUlid: user.ulid,
    key: uploadKey(user.ulid, ulid, 'new.mp4'),
    store: 'multipart',
    s3UploadId: 'x',
    status: 'completing',
    fileName: 'new.mp4',
    contentType: 'video/mp4',
    templateUlid: video.templateUlid,
    replaces: video.ulid,
    externalUserId: video.externalUserId,
    externalResourceId: null,
    createdAt: timestamp(),
    ...changes,
  };
  await writeBatch([{ put: openUploadItem(upload) }]);
  await write({ update: keys.userCounts(user.ulid), add: { openUploads: 1 } });
  await write({ update: keys.templateCounts(video.templateUlid), add: { references: 1 } });
  await writeObject(upload.key, 'a new film', 'video/mp4');
  return upload;
}

const stored = ({ key, ulid }: Upload, execution = `arn:${ulid}`) =>
  createVideo({ event: { detail: { object: { key } } }, executionArn: execution });

/** The states of the run, each with the jobs that it waits for. */
const states = (upload: Upload, event: { videoUlid: string; planNumber: number }) => ({
  create: () => stored(upload),
  probe: async () => probeSource((await findVideo(event.videoUlid))!, newSource),
  plan: () => plan(event),
  encode: () => encodeAll(event.videoUlid, event.planNumber),
  package: async () => {
    await startPackaging(event);
    for (const { ulid, planNumber } of (await read(event.videoUlid)).outputs) {
      if (planNumber === event.planNumber) await packageOutput({ ...event, outputUlid: ulid });
    }
  },
  publish: () => publish(event),
});

const stateNames = ['create', 'probe', 'plan', 'encode', 'package', 'publish'] as const;

async function runUntil(upload: Upload, last: (typeof stateNames)[number], times = 1) {
  const event = { videoUlid: upload.replaces!, planNumber: (await findVideo(upload.replaces!))!.lastPlanNumber + 1 };
  const run = states(upload, event);
  for (const name of stateNames.slice(0, stateNames.indexOf(last) + 1)) {
    for (let time = 0; time < times; time++) await run[name]();
  }
  return event;
}

/** What viewers and users see of a video. */
const seen = (whole: WholeVideo) => {
  const { sources, poster_url } = serializeSources(whole, [], { sign: (key) => key, expiresAt: null });
  const { status, outputs, streams, duration, replace_error } = serializeVideo(whole, undefined);
  return { sources, poster_url, status, outputs, streams, duration, replace_error };
};

const counts = async (user: User) => {
  const items = await queryItems(keys.userCounts(user.ulid).pk, 'COUNTS');
  return items[0] as unknown as { openUploads: number; videos: number };
};

const clipOf = (whole: WholeVideo) => serializeVideo(whole, undefined).clip;

test('a new source has the clip of its upload alone, which is shown when its outputs are', async () => {
  const { old, upload } = await prepared({ sourceOptions: { clip: { startSeconds: 1 } } });
  const { ulid } = old.video;
  await runUntil(upload, 'create');
  expect([clipOf(old), clipOf(await read(ulid))]).toEqual([null, null]);
  await failVideo({ ulid, planNumber: 2 }, 'INPUT_DAMAGED: The file is damaged.');
  expect((await read(ulid)).video).not.toHaveProperty('sourceOptions');
});

test('a clip ends with the source that it was of, and is back when the new one fails', async () => {
  const { user, old, upload } = await prepared();
  const { ulid } = old.video;
  const sourceOptions = { clip: { startSeconds: 1, endSeconds: 2 } };
  await write({ update: keys.video(ulid), set: { sourceOptions } });
  await runUntil(upload, 'create');
  const during = await read(ulid);
  expect(during.video).not.toHaveProperty('sourceOptions');
  expect(clipOf(during)).toEqual({ start_seconds: 1, end_seconds: 2 });
  await failVideo({ ulid, planNumber: 2 }, 'INPUT_DAMAGED: The file is damaged.');
  expect((await read(ulid)).video).toMatchObject({ sourceOptions });
  await runUntil(await storeNewSource(user, await read(ulid)), 'publish');
  expect(clipOf(await read(ulid))).toBeNull();
});

test('a new source is no copy of that of another video, and the old one may still become one', async () => {
  const { user, old, upload } = await prepared();
  const { ulid } = old.video;
  const copy = { copiedFrom: uploadKey(user.ulid, newUlid(), 'film.mp4'), sourceVideoUlid: newUlid() };
  await writeObject(copy.copiedFrom, 'film', 'video/mp4');
  await write({ update: keys.video(ulid), set: copy });
  await runUntil(upload, 'create');
  expect((await read(ulid)).video).not.toHaveProperty('copiedFrom');
  await failVideo({ ulid, planNumber: 2 }, 'INPUT_DAMAGED: The file is damaged.');
  expect((await read(ulid)).video).toMatchObject(copy);
  const next = await storeNewSource(user, await read(ulid));
  const event = await runUntil(next, 'publish');
  const { video } = await read(ulid);
  await reprocessVideo(video, { replan: true, probe: undefined, quota: null, properties: {} }, user);
  await createVideo({ event: { ...event, planNumber: event.planNumber + 1 }, executionArn: 'arn:again' });
  expect(await objectBytes(next.key)).toBe('a new film'.length);
  expect(serializeVideo(await read(ulid), undefined).source_video).toBeNull();
});

const typesOf = async (user: User): Promise<string[]> =>
  (await queryItems(keys.event(user.ulid, '').pk)).map(({ type }) => String(type));

test('the old outputs play until all of the new source are complete; then these do, and the old files are deleted', async () => {
  const { user, old, upload } = await prepared();
  const { ulid } = old.video;
  const before = seen(old);
  await runUntil(upload, 'package');
  const during = await read(ulid);
  expect(during.outputs.map(({ planNumber, status }) => [planNumber, status])).toEqual([
    [1, 'completed'],
    [1, 'completed'],
    [2, 'completed'],
    [2, 'completed'],
  ]);
  expect(seen(during)).toMatchObject({ sources: before.sources, poster_url: before.poster_url, duration: 12 });
  const shownOriginal = (whole: WholeVideo) => serializeVideo(whole, undefined).streams.find(isOriginal)!;
  expect(shownOriginal(during)).toEqual(shownOriginal(old));

  await publish({ videoUlid: ulid, planNumber: 2 });
  const after = await read(ulid);
  expect(seen(after)).toMatchObject({ status: 'completed', duration: 8, replace_error: null });
  expect(after.video).toMatchObject({ sourceKey: upload.key, name: old.video.name, sourceNumber: 2, planNumber: 2 });
  expect(after.video.replaced).toBeUndefined();
  expect(seen(after).sources.map(({ url }) => before.sources.some((one) => one.url === url))).toEqual([false, false]);
  expect(seen(after).poster_url).not.toBe(before.poster_url);
  expect(shownOriginal(after)).toMatchObject({ ulid: shownOriginal(old).ulid, size: 10, error_log: null });
  for (const { url } of seen(after).sources) expect(await objectBytes(url), url).toBeGreaterThan(0);
  for (const { url } of before.sources) expect(await objectBytes(url), url).toBeUndefined();
  await sweep();
  expect([await objectBytes(old.video.sourceKey), await objectBytes(upload.key)]).toEqual([undefined, 10]);
  expect(await counts(user)).toMatchObject({ openUploads: 0, videos: 1 });
  expect(await typesOf(user)).toEqual(
    expect.arrayContaining(['upload.completed', 'video.reprocessing', 'video.completed']),
  );
});

const isOriginal = ({ type }: { type: string }): boolean => type === 'original';

test('each state can be repeated', async () => {
  const { user, old, upload } = await prepared();
  await runUntil(upload, 'publish', 2);
  const { video, outputs } = await read(old.video.ulid);
  expect(video).toMatchObject({ status: 'completed', sourceKey: upload.key, planNumber: 2, executionCount: 2 });
  expect(outputs.map(({ planNumber }) => planNumber)).toEqual([2, 2]);
  expect(await counts(user)).toMatchObject({ openUploads: 0, videos: 1 });
});

test.each(stateNames.slice(0, -1))('a run that fails after the state %s leaves the video as it was', async (state) => {
  const { user, old, upload } = await prepared();
  const { ulid } = old.video;
  const event = await runUntil(upload, state);
  const reason = 'INPUT_DAMAGED: The file is damaged.';
  await failVideo({ ulid, planNumber: event.planNumber }, reason);
  await failVideo({ ulid, planNumber: event.planNumber }, reason);
  const after = await read(ulid);
  expect(seen(after)).toEqual({ ...seen(old), replace_error: reason });
  const { lastPlanNumber, executionCount, executionArn, startedAt, replaceError, virtualTimeSeconds, ...kept } =
    after.video;
  expect([lastPlanNumber, executionCount, replaceError]).toEqual([2, 2, reason]);
  const { lastPlanNumber: _, executionCount: __, executionArn: ___, ...known } = old.video;
  expect({ ...kept, startedAt: null, virtualTimeSeconds: 0 }).toEqual({
    ...known,
    startedAt: null,
    virtualTimeSeconds: 0,
  });
  expect((await typesOf(user)).filter((type) => type === 'video.replace_failed')).toHaveLength(1);
  expect(await typesOf(user)).not.toContain('video.failed');
  for (const { url } of seen(after).sources) expect(await objectBytes(url), url).toBeGreaterThan(0);
  await sweep();
  expect([await objectBytes(old.video.sourceKey), await objectBytes(upload.key)]).toEqual([3, undefined]);
  // A state of the failed run that is late changes nothing.
  await expect(states(upload, event).plan()).rejects.toThrow('CANCELLED');
  expect(await stored(upload, 'arn:late')).toEqual({ decision: 'ignored' });
  expect((await read(ulid)).video).toEqual(after.video);
});

test('after a failure the video can be processed again, and its source replaced by another file', async () => {
  const { user, old, upload } = await prepared();
  const { ulid } = old.video;
  await runUntil(upload, 'plan');
  await failVideo({ ulid, planNumber: 2 }, 'INTERNAL: stopped');
  const next = await storeNewSource(user, old);
  await runUntil(next, 'publish');
  expect((await read(ulid)).video).toMatchObject({
    status: 'completed',
    planNumber: 3,
    sourceNumber: 3,
    sourceKey: next.key,
  });
  const { video } = await read(ulid);
  await reprocessVideo(video, { replan: true, probe: undefined, quota: null, properties: {} }, user);
  await createVideo({ event: { videoUlid: ulid, planNumber: 4 }, executionArn: 'arn:again' });
  await plan({ videoUlid: ulid, planNumber: 4 });
  // With the probe of the new source.
  expect((await read(ulid)).video).toMatchObject({ durationSeconds: 8, status: 'running' });
});

test('a call that repeats one which died after the video was published removes the rest', async () => {
  const { old, upload } = await prepared();
  await runUntil(upload, 'package');
  const whole = await read(old.video.ulid);
  await publish({ videoUlid: old.video.ulid, planNumber: 2 });
  const left = `videos/${old.video.ulid}/thumbnails/poster.jpg`;
  await writeObject(left, 'x', 'image/jpeg');
  await completeVideo(whole);
  expect(await objectBytes(left)).toBeUndefined();
});

test('uploaded captions stay; those of the source are those of the old one until the new one is complete', async () => {
  const { user } = await createPerson();
  const old = await storeEncodedVideo(user, web, { textTracks: [{ ...subtitles }] as never });
  const { ulid } = old.video;
  const cues = [{ startMs: 1000, endMs: 2000, settings: '', text: 'Hello' }];
  const base = { kind: 'captions', isDefault: false, label: 'L', cues } as const;
  await addCaption(old.video, { ...base, language: 'de', origin: 'upload' }, null);
  await addCaption(old.video, { ...base, language: 'en', origin: 'embedded', extractedKey: 'old' }, null);
  const upload = await storeNewSource(user, await read(ulid));
  const tracks = [{ ...subtitles, language: 'fr' }] as never;
  const event = { videoUlid: ulid, planNumber: 2 };
  const run = states(upload, event);
  await run.create();
  await probeSource((await findVideo(ulid))!, { ...newSource, textTracks: tracks });
  await run.plan();
  const id = { videoUlid: ulid, planNumber: 2, kind: 'text' as const, group: 0, index: 0 };
  expect((await readPlan(ulid, 2)).captions).toHaveLength(1);
  await finishJob(id, { files: [{ file: '0.vtt', cueCount: 1, bytes: 1 }], failures: [], cpuSeconds: 1 });
  const made = `${jobFolder({ ...id, attempt: 1 })}0.vtt`;
  await writeObject(made, 'WEBVTT\n\n00:01.000 --> 00:02.000\nBonjour\n', 'text/vtt');
  await addCaptions(event);
  await run.encode();
  await run.package();
  const languages = async () => (await findCaptions(ulid)).captions.map(({ language, origin }) => [language, origin]);
  expect(await languages()).toEqual([
    ['de', 'upload'],
    ['en', 'embedded'],
  ]);
  await run.publish();
  expect(await languages()).toEqual([
    ['de', 'upload'],
    ['fr', 'embedded'],
  ]);
});

test('of two executions for one file, one continues', async () => {
  const { upload } = await prepared();
  expect(await stored(upload, 'arn:one')).toMatchObject({ decision: 'process', planNumber: 2 });
  expect(await stored(upload, 'arn:two')).toMatchObject({ decision: 'already-created' });
  expect(await stored(upload, 'arn:one')).toMatchObject({ decision: 'process', planNumber: 2 });
});

test('a second file that arrives during the first replacement is refused, and deleted', async () => {
  const { user, old, upload } = await prepared();
  const second = await storeNewSource(user, old);
  await stored(upload);
  for (let time = 0; time < 2; time++) expect(await stored(second)).toEqual({ decision: 'ignored' });
  const { video } = await read(old.video.ulid);
  expect(video).toMatchObject({ status: 'downloading', sourceKey: upload.key });
  expect(video.replaceError).toMatch(/^REPLACE_CONFLICT: The video was being processed/);
  expect(await objectBytes(second.key)).toBeUndefined();
  expect((await typesOf(user)).filter((type) => type === 'video.replace_failed')).toHaveLength(1);
  expect(await getItem(uploadRecord, keys.upload(second.ulid))).toMatchObject({ status: 'aborted' });
  expect(await counts(user)).toMatchObject({ openUploads: 0 });
});

test('a file for a video that was deleted is deleted', async () => {
  const { user, old, upload } = await prepared();
  await hideVideo(old.video, user);
  expect(await stored(upload)).toEqual({ decision: 'ignored' });
  expect(await objectBytes(upload.key)).toBeUndefined();
  expect(await typesOf(user)).not.toContain('video.replace_failed');
});

test('when the video is deleted while its source is replaced, both sources are deleted', async () => {
  const { user, old, upload } = await prepared();
  await runUntil(upload, 'plan');
  await hideVideo((await read(old.video.ulid)).video, user);
  await sweep({ waiting: true });
  expect([await objectBytes(old.video.sourceKey), await objectBytes(upload.key)]).toEqual([undefined, undefined]);
});

test('a form for another source that exceeds the quota leaves the video as it was', async () => {
  const { user, old, upload } = await prepared({ store: 'post', status: 'open', s3UploadId: '' });
  const quota = { uploadBytesPerMonth: 5, encodingCpuSecondsPerMonth: null };
  await write({ update: keys.user(user.ulid), set: { quota } });
  expect(await stored(upload)).toEqual({ decision: 'ignored' });
  const { video } = await read(old.video.ulid);
  expect(video).toMatchObject({ status: 'completed', sourceKey: old.video.sourceKey });
  expect(video.replaceError).toMatch(/^QUOTA_EXCEEDED/);
});
