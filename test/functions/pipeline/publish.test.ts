import { describe, expect, test } from 'vitest';
import { videoDamage } from '../../../encoder-task/ffmpeg/output/damage-warnings.ts';
import { addedWarnings } from '../../../functions/packaging/source-warnings.ts';
import { handler as fail } from '../../../functions/pipeline/fail.lambda.ts';
import { handler as publish } from '../../../functions/pipeline/publish.lambda.ts';
import type { Job, User } from '../../../functions/table/records.ts';
import { listAnalytics } from '../../../functions/table/statistics/analytics-table.ts';
import { reprocessVideo } from '../../../functions/table/videos/reprocess-video.ts';
import { findWholeVideo, type WholeVideo } from '../../../functions/table/videos/video-table.ts';
import { day } from '../../../shared/clock.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import {
  finishJob,
  runPipeline,
  storeEncodedVideo,
  storePlannedVideo,
} from '../../fixtures/records/store-encoded-video.ts';
import { buildStream, storeVideo } from '../../fixtures/records/store-video.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useEmptyPool } from '../../fixtures/use-empty-pool.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();
useEmptyPool();

const web = {
  version: 1,
  video: [{ name: 'v720', codec: 'h264', height: 720, bitrate: '2800k' }],
  audio: [{ name: 'stereo', codec: 'aac', bitrate: '128k' }],
  outputs: [{ format: 'hls', segment_duration: 4 }],
  chunk_duration: 4,
};
const originalOf = ({ streams }: WholeVideo) => streams.find(({ type }) => type === 'original')!;

describe('a warning of an encode job', () => {
  test('is added once to the original, also when the video is published again', async () => {
    const { user } = await createPerson();
    const whole = await storeEncodedVideo(user, web, {
      warnings: ['Some frames cannot be decoded.', 'Some sound cannot be decoded.'],
    });
    expect(whole.video.status).toBe('completed');
    const { meta } = originalOf(whole);
    expect(meta.warnings).toEqual(['Some frames cannot be decoded.', 'Some sound cannot be decoded.']);
    await publish({ videoUlid: whole.video.ulid, planNumber: 1 });
    expect(originalOf((await findWholeVideo(whole.video.ulid))!).meta).toEqual(meta);
  });

  test('is added to the original of a failed video', async () => {
    const { user } = await createPerson();
    const original = buildStream({ type: 'original', track: '', meta: { format: {} } });
    const { video } = await storeVideo(user, { status: 'running', streams: [original] });
    const id = { videoUlid: video.ulid, planNumber: video.planNumber, kind: 'encode-video' as const, group: 0 };
    await finishJob({ ...id, index: 0 }, { warnings: ['Some frames cannot be decoded.'] });
    const failure = {
      videoUlid: video.ulid,
      planNumber: video.planNumber,
      error: { Error: 'Job.Fatal', Cause: 'DISK_FULL: no.' },
    };
    await fail(failure);
    await fail(failure);
    const whole = (await findWholeVideo(video.ulid))!;
    expect(whole.video.status).toBe('failed');
    expect(originalOf(whole).meta).toEqual({ format: {}, warnings: ['Some frames cannot be decoded.'] });
  });

  test('follows the warnings of the probe', () => {
    const original = buildStream({ type: 'original', meta: { warnings: ['The file ends early.'] } });
    expect(addedWarnings(original, [jobWith(['Silent.', 'The file ends early.']), jobWith(['Silent.'])])).toEqual([
      'The file ends early.',
      'Silent.',
    ]);
  });

  test('that is known is not added', () => {
    const original = buildStream({ type: 'original', meta: { warnings: ['Silent.'] } });
    expect(addedWarnings(original, [jobWith(['Silent.']), jobWith([]), jobWith(undefined)])).toBeNull();
  });

  test('is given once for one damage, which renditions in chunks of another length have too', () => {
    const long = 'Between 0.0 s and 30.0 s, 6 of 750 frames cannot be decoded: the previous frame is repeated instead.';
    const short = 'Between 6.0 s and 12.0 s, the video is damaged in 1 place.';
    const later = 'Between 30.0 s and 60.0 s, the video is damaged in 2 places.';
    const somewhere = 'The file is damaged: 3 of its packets are incomplete. Video or audio may be interrupted there.';
    const original = buildStream({ type: 'original', meta: { warnings: [somewhere, 'The file ends early.'] } });
    const jobs = [jobWith([short]), jobWith([long]), jobWith([later])];
    const warnings = ['The file ends early.', long, later];
    expect(addedWarnings(original, jobs)).toEqual(warnings);
    expect(addedWarnings({ ...original, meta: { warnings } }, jobs)).toBeNull();
  });

  test('names its part of the video as the worker does', () => {
    const spec = { grid: { ticksPerFrame: 1, timescale: 25 }, chunk: { startFrame: 0, endFrame: 150 } };
    const found = { decodedFrames: 149, rejectedPackets: 0, damagedFrames: 0 };
    const [warning] = videoDamage(
      spec as Parameters<typeof videoDamage>[0],
      found as Parameters<typeof videoDamage>[1],
    );
    const longer = warning!.replace('6.0 s', '12.0 s');
    expect(addedWarnings(buildStream({ type: 'original' }), [jobWith([warning!]), jobWith([longer])])).toEqual([
      longer,
    ]);
  });

  test('is dropped when there are 40, so that the record stays small', () => {
    const jobs = Array.from({ length: 3000 }, (_, n) => jobWith([`Between ${n} s and ${n + 1} s.`]));
    expect(addedWarnings(buildStream({ type: 'original' }), jobs)).toHaveLength(40);
  });
});

test('the meta of a stream has measured values, not the requested ones', async () => {
  const { user } = await createPerson();
  const { streams } = await storeEncodedVideo(user, web);
  const metaOf = (name: string) => streams.find((stream) => stream.name === name)!.meta;
  const made = { codecs: 'avc1.64001f', level: '3.1', duration: 12, frame_rate: 30, pixel_format: 'yuv420p' };
  // Three segments of one byte each.
  expect(metaOf('v720')).toEqual({ ...made, bitrate: 2, peak_bitrate: 2 });
  expect(metaOf('stereo')).toMatchObject({ codecs: 'mp4a.40.2', duration: 12, channel_layout: 'stereo' });
});

const jobWith = (warnings: string[] | undefined) => ({ warnings }) as unknown as Job;

describe('analytics', () => {
  const counts = async () => {
    const today = day();
    const { completed = 0, failed = 0 } = (await listAnalytics(today, today)).get(today) ?? {};
    return { completed, failed };
  };
  const failure = (videoUlid: string) => ({
    videoUlid,
    planNumber: 1,
    error: { Error: 'Job.Fatal', Cause: 'DISK_FULL: no.' },
  });
  const reprocess = async (ulid: string) => {
    const { video } = (await findWholeVideo(ulid))!;
    const owner = { ulid: video.ownerUlid } as User;
    expect(await reprocessVideo(video, { replan: false, probe: undefined, quota: null, properties: {} }, owner)).toBe(
      true,
    );
  };

  test('count a video as completed once, also when it is processed again', async () => {
    const before = await counts();
    const { video } = await storeEncodedVideo((await createPerson()).user, web);
    await reprocess(video.ulid);
    await runPipeline(video.ulid, 1);
    expect((await findWholeVideo(video.ulid))!.video).toMatchObject({ status: 'completed', executionCount: 2 });
    expect(await counts()).toEqual({ ...before, completed: before.completed + 1 });
  });

  test('count a video that failed twice and was completed once as failed and once as completed', async () => {
    const before = await counts();
    const ulid = await storePlannedVideo((await createPerson()).user, web);
    await fail(failure(ulid));
    await reprocess(ulid);
    await fail(failure(ulid));
    expect(await counts()).toEqual({ ...before, failed: before.failed + 1 });
    await reprocess(ulid);
    await runPipeline(ulid, 1);
    expect((await findWholeVideo(ulid))!.video.status).toBe('completed');
    expect(await counts()).toEqual({ completed: before.completed + 1, failed: before.failed + 1 });
  });
});
