import { describe, test } from 'vitest';
import { presets } from '../../shared/presets.ts';
import { useStoreAndFolder } from '../encoder-task/support/clips.ts';
import { expectFaithful } from '../encoder-task/support/expect-faithful.ts';
import {
  containersAndCodecs,
  oddPictures,
  oddTimes,
  oddTracks,
  type SourceCase,
} from '../encoder-task/support/source-cases.ts';

// Every source with every built-in template: hours of work, so it is no part of `npm test`.
const files = useStoreAndFolder();
const cases = [...containersAndCodecs, ...oddPictures, ...oddTimes, ...oddTracks];

describe.each(presets)('$slug', ({ slug, query }) => {
  test.each(cases)('$name', async ({ file, make, ...expected }: SourceCase) => {
    const path = files.path(`${slug}-${file}`);
    await make(path);
    await expectFaithful(path, query, expected);
  });
});
