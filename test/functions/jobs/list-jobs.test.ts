import { expect, test } from 'vitest';
import { handler as videos } from '../../../functions/api/videos.lambda.ts';
import { queueJob } from '../../../functions/table/jobs/queued-jobs.ts';
import { callHandler } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { storeEncodedVideo, storePlannedVideo } from '../../fixtures/records/store-encoded-video.ts';
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
  outputs: [
    { name: 'hls', format: 'hls', segment_duration: 4 },
    { name: 'file', format: 'mp4' },
  ],
};

test('a video has the jobs of its plan with their streams and outputs, and counts by kind', async () => {
  const { user, token } = await createPerson();
  const { video, streams, outputs } = await storeEncodedVideo(user, web);
  const ulidOf = (name: string) => [...streams, ...outputs].find((part) => part.name === name)!.ulid;
  const { status, json } = await callHandler(videos, `GET /api/videos/${video.ulid}/jobs`, { token });
  expect(status).toBe(200);
  const shown = json.data.map((job: Record<string, unknown>) => [job.plan, job.kind, job.streams, job.output]);
  expect(shown).toEqual([
    [0, 'probe', [], null],
    [1, 'encode-audio', [ulidOf('stereo')], null],
    // one segment, so that it plays soon, and the rest
    [1, 'encode-video', [ulidOf('v720')], null],
    [1, 'encode-video', [ulidOf('v720')], null],
    [1, 'package', [], ulidOf('file')],
  ]);
  expect(json.meta).toEqual({ next_cursor: null, per_page: 100 });
  const one = { total: 1, queued: 0, running: 0, completed: 1, failed: 0, cancelled: 0 };
  expect(json.summary).toEqual([
    { kind: 'probe', ...one },
    { kind: 'encode-video', ...one, total: 2, completed: 2 },
    { kind: 'encode-audio', ...one },
    { kind: 'package', ...one },
  ]);
  const stranger = await createPerson();
  expect(await callHandler(videos, `GET /api/videos/${video.ulid}/jobs`, { token: stranger.token })).toMatchObject({
    status: 404,
  });
});

test('pages follow each other without gaps, and the totals include jobs that are not queued yet', async () => {
  const { user, token } = await createPerson();
  const ulid = await storePlannedVideo(user, web);
  const work = { taskToken: 't', estimateSeconds: 1, workUnits: 360, ownerUlid: user.ulid, virtualTimeSeconds: 0 };
  await queueJob({ videoUlid: ulid, planNumber: 1, kind: 'encode-video', group: 0, index: 0 }, work);
  const read = (query: string) => callHandler(videos, `GET /api/videos/${ulid}/jobs?per_page=1${query}`, { token });
  const first = (await read('')).json;
  expect(first.data).toMatchObject([{ kind: 'probe', status: 'completed', progress: 100 }]);
  expect(first.meta.next_cursor).toBe('0.probe.0.0');
  const second = (await read(`&cursor=${first.meta.next_cursor}`)).json;
  expect(second.data).toMatchObject([{ kind: 'encode-video', index: 0, status: 'queued', attempts: [] }]);
  expect(second.meta.next_cursor).toBeNull();
  expect(second.summary).toMatchObject([
    { kind: 'probe', total: 1, completed: 1 },
    { kind: 'encode-video', total: 2, queued: 1 },
    { kind: 'encode-audio', total: 1, queued: 0 },
    { kind: 'package', total: 1 },
  ]);
  expect(await read('&cursor=1.x.0.0')).toMatchObject({
    status: 422,
    json: { errors: { cursor: ['Use next_cursor of the page before.'] } },
  });
});
