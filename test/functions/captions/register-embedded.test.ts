import { beforeEach, expect, test } from 'vitest';
import { readText, writeObject } from '../../../functions/aws/object-store.ts';
import { addCaption } from '../../../functions/captions/add-caption.ts';
import { type EmbeddedTrack, registerEmbeddedCaptions } from '../../../functions/captions/register-embedded.ts';
import type { Video } from '../../../functions/table/records.ts';
import { findCaptions } from '../../../functions/table/videos/caption-table.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { storeVideo } from '../../fixtures/records/store-video.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();

let video: Video;
beforeEach(async () => {
  const { user } = await createPerson();
  ({ video } = await storeVideo(user, { status: 'running', outputs: [] }));
});

const track = (changes: Partial<EmbeddedTrack> = {}): EmbeddedTrack => ({
  language: 'de',
  kind: 'subtitles',
  label: null,
  isDefault: false,
  cueCount: 1,
  objectKey: `videos/${video.ulid}/r1/text/0.vtt`,
  ...changes,
});
const captions = async () => (await findCaptions(video.ulid)).captions;
const store = (text = 'made') =>
  writeObject(track().objectKey!, `WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n${text}\n`, 'text/vtt');

test('tracks of a source become captions with files of their own, once', async () => {
  await store();
  const tracks = [
    track(),
    track({ label: 'second of its language' }),
    track({ language: 'klingon!', label: 'a\u0000"b', objectKey: null, error: 'It is not text.' }),
  ];
  await registerEmbeddedCaptions(video.ulid, tracks);
  const made = await captions();
  expect(made).toMatchObject([
    { language: 'de', kind: 'subtitles', label: 'Deutsch', origin: 'embedded', status: 'completed', cueCount: 1 },
    { language: 'und', label: 'a "b', status: 'failed', error: 'It is not text.', key: null },
  ]);
  expect((await readText(made[0]!.key!))!.body).toContain('made');
  await registerEmbeddedCaptions(video.ulid, tracks);
  expect(await captions()).toEqual(made);
});

test('an embedded track never replaces an upload, and an upload replaces an embedded one', async () => {
  await store();
  await registerEmbeddedCaptions(video.ulid, [track()]);
  const upload = { language: 'de', kind: 'subtitles', label: 'Mine', isDefault: true, origin: 'upload' } as const;
  await addCaption(video, { ...upload, cues: [{ startMs: 0, endMs: 1, settings: '', text: 'a' }] }, null);
  expect(await captions()).toMatchObject([{ label: 'Mine', origin: 'upload' }]);
  await registerEmbeddedCaptions(video.ulid, [track({ objectKey: `videos/${video.ulid}/r2/text/0.vtt` })]);
  expect(await captions()).toMatchObject([{ label: 'Mine', origin: 'upload' }]);
});

test('a file that cannot be used is a failed track with the reason', async () => {
  await writeObject(track().objectKey!, 'WEBVTT\n', 'text/vtt');
  await registerEmbeddedCaptions(video.ulid, [track()]);
  expect(await captions()).toMatchObject([{ status: 'failed', error: expect.stringContaining('no cue') }]);
});
