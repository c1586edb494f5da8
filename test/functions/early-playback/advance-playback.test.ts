import HLS from 'hls-parser';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readText } from '../../../functions/aws/object-store.ts';
import { advancePlayback } from '../../../functions/early-playback/advance-playback.ts';
import { runningOutput } from '../../../functions/early-playback/running-output.ts';
import { startPlayback } from '../../../functions/early-playback/start-playback.ts';
import { jobFolder } from '../../../functions/job-results/job-files.ts';
import { handler as fail } from '../../../functions/pipeline/fail.lambda.ts';
import { serializeSources } from '../../../functions/serializers/serialize-sources.ts';
import { readPlan } from '../../../functions/stored-plans/stored-plans.ts';
import { writeBatch } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import { findJobWithVideo } from '../../../functions/table/jobs/job-table.ts';
import { findWholeVideo, moveOutput, type WholeVideo } from '../../../functions/table/videos/video-table.ts';
import { timestamp } from '../../../shared/clock.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { finishEncode, runPipeline, storePlannedVideo } from '../../fixtures/records/store-encoded-video.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useEmptyPool } from '../../fixtures/use-empty-pool.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();
useEmptyPool();

const query = {
  version: 1,
  video: [
    { name: 'v720', codec: 'h264', height: 720, bitrate: '2800k' },
    { name: 'v360', codec: 'h264', height: 360, bitrate: '800k' },
  ],
  audio: [{ name: 'stereo', codec: 'aac', bitrate: '128k', channels: 2 }],
  outputs: [
    { name: 'hls', format: 'hls', segment_duration: 4 },
    { name: 'dash', format: 'dash', segment_duration: 4 },
  ],
};
const codecs = { v720: 'avc1.64001f', v360: 'avc1.64001e', stereo: 'mp4a.40.2' };
const startMs = Date.parse('2026-11-22T10:00:00Z');

type EncodeJob = { kind: 'encode-video' | 'encode-audio'; group: number; index: number };
const [firstChunk, secondChunk, others]: EncodeJob[] = [
  { kind: 'encode-video', group: 0, index: 0 },
  { kind: 'encode-video', group: 0, index: 1 },
  { kind: 'encode-video', group: 1, index: 0 },
] as const;
const sound: EncodeJob = { kind: 'encode-audio', group: 0, index: 0 };

let videoUlid: string;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: startMs });
  await startVideo();
});

async function startVideo(startPts = 0): Promise<void> {
  videoUlid = await storePlannedVideo((await createPerson()).user, query, undefined, startPts);
  const whole = (await findWholeVideo(videoUlid))!;
  for (const { ulid } of whole.outputs) await moveOutput(whole.video, ulid, 'running');
}

afterEach(() => vi.useRealTimers());

/** A running job that has stored these segments, at a time since the jobs began. Then its report is processed. */
async function report(job: EncodeJob, segments: number, atSeconds: number, { attempt = 1, run = 1 } = {}) {
  await store(job, segments, atSeconds, { attempt, run });
  await advance(job);
}

async function store(job: EncodeJob, segments: number, atSeconds: number, { attempt = 1, run = 1 } = {}) {
  vi.setSystemTime(startMs + atSeconds * 1000);
  const plan = await readPlan(videoUlid, 1);
  const names = job.kind === 'encode-audio' ? ['stereo'] : plan.groups[job.group]!.rungs.map(({ name }) => name);
  const item = {
    videoUlid,
    planNumber: 1,
    ...job,
    status: 'LEASED',
    taskToken: 'token',
    attempt,
    progress: 0,
    attempts: { 1: { lease: 'l', node: 'pool', worker: 'w', startedAt: timestamp(startMs) } },
    estimateSeconds: 1,
    workUnits: 1,
    createdAt: timestamp(startMs),
    queuedAt: timestamp(startMs),
    stored: {
      attempt,
      run,
      segments,
      codecs: Object.fromEntries(names.map((name) => [name, codecs[name as keyof typeof codecs]])),
    },
  };
  await writeBatch([{ put: { ...keys.job({ videoUlid, planNumber: 1, ...job }), ...item } }]);
}

/** The job is done. */
async function finish(job: EncodeJob, atSeconds: number): Promise<void> {
  vi.setSystemTime(startMs + atSeconds * 1000);
  await finishEncode({ videoUlid, planNumber: 1, ...job });
  await advance(job);
}

async function advance(job: EncodeJob): Promise<void> {
  await (await read(job))();
}

/** Reads a job and its video as a report does. The result processes the report, however late. */
async function read(job: EncodeJob): Promise<() => Promise<void>> {
  const found = await findJobWithVideo({ videoUlid, planNumber: 1, ...job });
  return () => advancePlayback(found.videoOfJob!, found.job!);
}

const whole = async (): Promise<WholeVideo> => (await findWholeVideo(videoUlid))!;
const hls = async () => (await whole()).outputs.find(({ name }) => name === 'hls')!;

async function playlist(file: string): Promise<string | undefined> {
  return (await readText(`videos/${videoUlid}/${(await hls()).ulid}/1/${file}`))?.body;
}

/** The segments of a media playlist by their folder and number, and whether it has ended. */
async function listed(name: string): Promise<string | undefined> {
  const text = await playlist(`${name}.m3u8`);
  const files = [...(text ?? '').matchAll(/^\.\.\/\.\.\/r1\/(\S+)-a(\d)\/\S+\/(\S+)\.m4s$/gm)];
  return (
    text &&
    [...files.map(([, , attempt, file]) => `${attempt}/${file}`), ...(text.includes('ENDLIST') ? ['end'] : [])].join(
      ' ',
    )
  );
}

const variants = async (): Promise<string[]> =>
  (HLS.parse((await playlist('master.m3u8'))!) as HLS.types.MasterPlaylist).variants.map(({ uri }) => uri);

const sources = async () =>
  serializeSources(await whole(), [], { sign: (key) => key, expiresAt: null }).sources.map(({ name, status, url }) => [
    name,
    status,
    url.split('/').at(-1),
  ]);

describe('an output', () => {
  test('plays when the first segments of its starter and its audio are stored', async () => {
    await report(firstChunk!, 1, 1);
    expect(await sources()).toEqual([]);
    expect(await playlist('master.m3u8')).toBeUndefined();
    await report(sound, 2, 2);
    expect(await sources()).toEqual([['hls', 'running', 'master.m3u8']]);
    const { video, outputs } = await whole();
    expect(video).toMatchObject({ status: 'running', playableAt: timestamp(startMs + 2000) });
    expect(outputs.map(({ playableAt }) => playableAt)).toEqual([timestamp(startMs + 2000), undefined]);
    expect(await variants()).toEqual(['v360.m3u8']);
    // The second audio segment is behind the end of the video.
    expect([await listed('v360'), await listed('stereo')]).toEqual(['1/00000', '1/00000']);
  });

  test.each([
    ['have no dates when its tracks start at the same time', 0, [undefined, undefined]],
    // 0.51 s of the fixture, of which 15 frames are held
    ['have dates when its video starts late', 7834, ['1970-01-01T00:00:00.010Z', '1970-01-01T00:00:00.000Z']],
  ])('has growing playlists that %s', async (_, startPts, dates) => {
    await startVideo(startPts);
    await report(sound, 2, 1);
    await report(firstChunk!, 1, 2);
    const texts = [await playlist('v360.m3u8'), await playlist('stereo.m3u8')];
    expect(texts.map((text) => /^#EXT-X-PROGRAM-DATE-TIME:(.*)$/m.exec(text!)?.[1])).toEqual(dates);
  });

  test('plays as soon as the first chunk is reported, also right after a report of the audio', async () => {
    await report(sound, 1, 1.9);
    await report(sound, 2, 2.5);
    await report(firstChunk!, 1, 2.6);
    expect((await whole()).video.playableAt).toBe(timestamp(startMs + 2600));
  });

  test('does not play while a viewer would catch up with the encoder', async () => {
    await report(sound, 3, 1);
    await report(firstChunk!, 1, 20);
    expect(await sources()).toEqual([]);
    await report(secondChunk!, 1, 24);
    // Eight of twelve seconds took 24 s, so the rest takes 12.
    expect(await sources()).toEqual([]);
    await finish(secondChunk!, 25);
    await finish(firstChunk!, 26);
    expect(await sources()).toEqual([['hls', 'running', 'master.m3u8']]);
  });

  test('gets the next segments, and ends together with its audio', async () => {
    await report(sound, 3, 1);
    await report(firstChunk!, 1, 1.6);
    await finish(firstChunk!, 3);
    await report(secondChunk!, 1, 4.5);
    expect([await listed('v360'), await listed('stereo')]).toEqual(['1/00000 1/00001', '1/00000 1/00001']);
    await finish(secondChunk!, 6);
    // The audio job has not reported its end.
    expect([await listed('v360'), await listed('stereo')]).toEqual([
      '1/00000 1/00001 1/00002',
      '1/00000 1/00001 1/00002',
    ]);
    await finish(sound, 8);
    expect([await listed('v360'), await listed('stereo')]).toEqual([
      '1/00000 1/00001 1/00002 end',
      '1/00000 1/00001 1/00002 end',
    ]);
    expect(await variants()).toEqual(['v360.m3u8']);
  });

  test('keeps the segments of an attempt that failed, and goes on with those of the next one', async () => {
    await report(sound, 3, 1);
    await finish(firstChunk!, 2);
    await report(secondChunk!, 1, 4);
    await report(secondChunk!, 1, 6, { attempt: 2 });
    expect(await listed('v360')).toBe('1/00000 1/00001');
    await report(secondChunk!, 2, 8, { attempt: 2, run: 2 });
    expect(await listed('v360')).toBe('1/00000 1/00001 2/r2-00002');
  });

  test('gets other rungs as soon as they keep ahead', async () => {
    await report(sound, 3, 1);
    await finish(firstChunk!, 2);
    await report(others!, 1, 4);
    expect(await variants()).toEqual(['v360.m3u8']);
    await report(others!, 2, 6);
    expect(await variants()).toEqual(['v720.m3u8', 'v360.m3u8']);
    expect(await listed('v720')).toBe('1/00000 1/00001');
    await finish(secondChunk!, 8);
    // A rung that is listed is not finished, so the playlists do not end.
    expect(await listed('v360')).toBe('1/00000 1/00001 1/00002');
  });

  test('keeps what it lists when a first report is processed after it plays', async () => {
    await store(sound, 3, 1);
    const late = await read(sound);
    await report(firstChunk!, 1, 1.6);
    await late();
    await finish(firstChunk!, 4);
    await report(secondChunk!, 1, 8);
    expect([await listed('v360'), await listed('stereo')]).toEqual(['1/00000 1/00001', '1/00000 1/00001']);
  });

  test('grows on when a report was read before it played and is processed after', async () => {
    await report(sound, 3, 1);
    await store(firstChunk!, 1, 1.2);
    const late = await read(sound);
    // Another call has claimed the start before that, and needs a while for it.
    await startPlayback(runningOutput(await whole(), await readPlan(videoUlid, 1))!);
    expect(await sources()).toHaveLength(1);
    vi.setSystemTime(startMs + 4000);
    await late();
    await finish(firstChunk!, 8);
    await report(secondChunk!, 1, 12);
    expect([await listed('v360'), await listed('stereo')]).toEqual(['1/00000 1/00001', '1/00000 1/00001']);
  });

  test('reads the table once for reports that come shortly after each other', async () => {
    await report(firstChunk!, 1, 1);
    await report(sound, 3, 1.1);
    expect(await sources()).toEqual([]);
    await report(sound, 3, 1.6);
    expect(await sources()).toHaveLength(1);
  });

  test('keeps its URL when it is completed, and its playlists are replaced', async () => {
    await report(sound, 3, 1);
    await finish(firstChunk!, 2);
    const [running] = await sources();
    vi.setSystemTime(startMs + 60_000);
    await runPipeline(videoUlid, 1);
    expect(await sources()).toEqual([
      ['hls', 'completed', running![2]],
      ['dash', 'completed', 'manifest.mpd'],
    ]);
    expect(await variants()).toEqual(['v720.m3u8', 'v360.m3u8']);
    expect(await playlist('v360.m3u8')).toContain('#EXT-X-PLAYLIST-TYPE:VOD');
    expect((await whole()).video.playableAt).toBe(timestamp(startMs + 2000));
    expect((await hls()).playableAt).toBe(timestamp(startMs + 2000));
  });

  test('that fails ends for its viewers, and is not listed any more', async () => {
    await report(sound, 3, 1);
    await finish(firstChunk!, 2);
    const error = { Error: 'Job.Fatal', Cause: 'INPUT_DAMAGED: The file ends early.' };
    for (let call = 0; call < 2; call++) await fail({ videoUlid, planNumber: 1, error });
    expect([await listed('v360'), await listed('stereo')]).toEqual(['1/00000 end', '1/00000 end']);
    expect(await sources()).toEqual([]);
    const { video, outputs } = await whole();
    expect([video.status, video.playableAt, outputs[0]!.playableAt]).toEqual(['failed', undefined, undefined]);
    await finish(secondChunk!, 30);
    expect(await listed('v360')).toBe('1/00000 end');
  });
});

test('segments that a worker has stored have the keys of the attempt', async () => {
  await report(sound, 1, 1);
  await report(firstChunk!, 1, 1.6);
  const folder = jobFolder({ videoUlid, planNumber: 1, ...firstChunk!, attempt: 1 });
  expect(await playlist('v360.m3u8')).toContain(`../../${folder.slice(`videos/${videoUlid}/`.length)}v360/00000.m4s`);
});
