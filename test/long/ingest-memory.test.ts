import { expect, test } from 'vitest';
import { startGeneratedSource } from '../../lab/bench/ingest/generated-source.ts';
import { runFetch } from '../../lab/bench/ingest/run-fetch.ts';

const mebibyte = 2 ** 20;

test.each([
  ['200 MiB in ranges', 200, true],
  ['200 MiB in one stream', 200, false],
  ['3 GiB in ranges', 3072, true],
  ['3 GiB in one stream', 3072, false],
])('a worker that fetches %s at full speed needs less than 150 MiB of memory', async (_, fileMib, ranges) => {
  const source = await startGeneratedSource(fileMib * mebibyte, { ranges });
  try {
    const { sizeBytes, peakRssBytes } = await runFetch(source);
    expect(sizeBytes).toBe(fileMib * mebibyte);
    expect(source.storedBytes()).toBe(fileMib * mebibyte);
    expect(peakRssBytes / mebibyte).toBeLessThan(150);
  } finally {
    source.close();
  }
});
