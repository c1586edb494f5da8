import { test } from 'vitest';
import { presets } from '../../functions/templates/presets.ts';
import { containersAndCodecs, oddFrames, oddTimes, oddTracks } from '../encoder-task/support/clips/source-cases.ts';
import { useStoreAndFolder } from '../encoder-task/support/clips.ts';
import { expectFaithful } from '../encoder-task/support/expect-faithful.ts';

// Every source with every built-in template takes hours, so this is not part of `npm test`. MEDIA_SHARE=2/8 runs the
// second of every eight.
const files = useStoreAndFolder();
const [nth, of] = (process.env.MEDIA_SHARE ?? '1/1').split('/').map(Number) as [number, number];
const cases = [...containersAndCodecs, ...oddFrames, ...oddTimes, ...oddTracks];
const combinations = presets
  .flatMap(({ slug, query }) => cases.map((source) => ({ slug, query, ...source })))
  .filter((_, position) => position % of === nth - 1);

test.each(combinations)('$slug: $name', async ({ slug, query, file, make, ...expected }) => {
  const path = files.path(`${slug}-${file}`);
  await make(path);
  await expectFaithful(path, query, expected);
});
