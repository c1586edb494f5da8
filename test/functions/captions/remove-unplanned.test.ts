import { expect, test } from 'vitest';
import { addCaption, type NewCaption } from '../../../functions/captions/add-caption.ts';
import { removeUnplannedCaptions } from '../../../functions/captions/remove-unplanned.ts';
import type { PlannedCaption } from '../../../functions/planning/encoding-plan.ts';
import { findCaptions } from '../../../functions/table/videos/caption-table.ts';
import type { CaptionKind } from '../../../shared/captions/cue.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { storeVideo } from '../../fixtures/records/store-video.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();

const cues = [{ startMs: 0, endMs: 1, settings: '', text: 'a' }];
const planned = (language: string, kind: CaptionKind): PlannedCaption => ({
  track: null,
  language,
  kind,
  label: null,
  isDefault: false,
});

test('embedded captions that the present plan does not make are removed, uploads stay', async () => {
  const { user } = await createPerson();
  const { video } = await storeVideo(user, { outputs: [] });
  const store = (language: string, kind: CaptionKind, origin: NewCaption['origin']) =>
    addCaption(video, { language, kind, label: 'l', isDefault: false, origin, cues }, null);
  await store('de', 'subtitles', 'embedded');
  await store('de', 'forced', 'embedded');
  await store('fr', 'subtitles', 'embedded');
  await store('und', 'chapters', 'embedded');
  await store('en', 'subtitles', 'upload');
  const ids = async () => (await findCaptions(video.ulid)).captions.map(({ language, kind }) => `${language} ${kind}`);

  const { version } = await findCaptions(video.ulid);
  await removeUnplannedCaptions(video, [
    planned('DE', 'subtitles'),
    planned('fr', 'subtitles'),
    planned('und', 'chapters'),
  ]);
  expect(await ids()).toEqual(['de subtitles', 'en subtitles', 'fr subtitles', 'und chapters']);
  expect((await findCaptions(video.ulid)).version).toBe(version + 1);

  await removeUnplannedCaptions(video, []);
  await removeUnplannedCaptions(video, []);
  expect(await ids()).toEqual(['en subtitles']);
});
