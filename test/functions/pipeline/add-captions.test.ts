import { beforeEach, expect, test } from 'vitest';
import { readObject, writeObject } from '../../../functions/aws/object-store.ts';
import { addCaption } from '../../../functions/captions/add-caption.ts';
import { publishCaptions } from '../../../functions/captions/publish-captions.ts';
import { jobFolder } from '../../../functions/job-results/job-files.ts';
import { handler as addCaptions } from '../../../functions/pipeline/add-captions.lambda.ts';
import { handler as packageOutput } from '../../../functions/pipeline/package-output.lambda.ts';
import { isNeeded } from '../../../functions/queue/granted-lease.ts';
import type { User } from '../../../functions/table/records.ts';
import { findCaptions } from '../../../functions/table/videos/caption-table.ts';
import { findWholeVideo } from '../../../functions/table/videos/video-table.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { finishJob, storeEncodedVideo } from '../../fixtures/records/store-encoded-video.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useEmptyPool } from '../../fixtures/use-empty-pool.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();
useEmptyPool();

let owner: User;
beforeEach(async () => {
  ({ user: owner } = await createPerson());
});

const web = {
  video: [{ name: 'v720', codec: 'h264', height: 720, bitrate: '2800k' }],
  outputs: [{ format: 'hls', segment_duration: 4 }],
};
const track = { codec: 'subrip', title: null, isDefault: false, isForced: false, isForDeaf: false } as const;
const textTracks = [
  { ...track, streamIndex: 3, language: 'de' },
  { ...track, streamIndex: 4, language: 'en' },
];

const masterOf = async (videoUlid: string): Promise<string> => {
  const { outputs } = (await findWholeVideo(videoUlid))!;
  return new TextDecoder().decode(await readObject(outputs[0]!.entryKey!));
};

test('captions that are extracted after the video was published are published too', async () => {
  const { video } = await storeEncodedVideo(owner, web, { textTracks });
  expect(await masterOf(video.ulid)).not.toContain('SUBTITLES');
  const id = { videoUlid: video.ulid, planNumber: 1, kind: 'text' as const, group: 0, index: 0 };
  const whole = (await findWholeVideo(video.ulid))!;
  expect(whole.video.status).toBe('completed');
  expect(isNeeded(whole, id)).toBe(true);
  expect(isNeeded(whole, { ...id, kind: 'thumbnails' })).toBe(false);

  const files = [{ file: '0.vtt', bytes: 1, cueCount: 1 }];
  const failures = [{ file: '1.vtt', error: 'The text track is damaged.' }];
  await finishJob(id, { files, failures, cpuSeconds: 1 });
  const key = `${jobFolder({ ...id, attempt: 1 })}0.vtt`;
  await writeObject(key, 'WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nHallo\n', 'text/vtt');
  for (let call = 0; call < 2; call++) await addCaptions({ videoUlid: video.ulid, planNumber: 1 });

  const { captions } = await findCaptions(video.ulid);
  expect(captions).toMatchObject([
    { language: 'de', kind: 'subtitles', label: 'Deutsch', origin: 'embedded', status: 'completed', cueCount: 1 },
    { language: 'en', kind: 'subtitles', status: 'failed', error: 'The text track is damaged.' },
  ]);
  expect(await masterOf(video.ulid)).toMatch(/TYPE=SUBTITLES.*NAME="Deutsch",LANGUAGE="de"/);
});

test('captions of a track that the plan does not have are gone when its first output is made', async () => {
  const { video } = await storeEncodedVideo(owner, web, { textTracks });
  const old = { language: 'sv', kind: 'subtitles', label: 'Svenska', isDefault: false, origin: 'embedded' } as const;
  await addCaption(video, { ...old, cues: [{ startMs: 0, endMs: 1000, settings: '', text: 'Hej' }] }, null);
  await publishCaptions(video.ulid);
  expect(await masterOf(video.ulid)).toContain('Svenska');
  const { outputs } = (await findWholeVideo(video.ulid))!;
  await packageOutput({ videoUlid: video.ulid, planNumber: 1, outputUlid: outputs[0]!.ulid });
  expect((await findCaptions(video.ulid)).captions).toEqual([]);
  expect(await masterOf(video.ulid)).not.toContain('SUBTITLES');
});

test('without a result, each caption says that the text could not be read', async () => {
  const { video } = await storeEncodedVideo(owner, web, { textTracks });
  await addCaptions({ videoUlid: video.ulid, planNumber: 1 });
  const { captions } = await findCaptions(video.ulid);
  expect(captions.map(({ status, error }) => [status, error])).toEqual(
    Array(2).fill(['failed', 'The text track could not be read. Upload a WebVTT or SubRip file.']),
  );
  await addCaptions({ videoUlid: video.ulid, planNumber: 7 });
});
