import { expect, test } from 'vitest';
import { startGeneratedSource } from '../bench/ingest/generated-source.ts';
import { runFetch } from '../bench/ingest/run-fetch.ts';

const fileBytes = 200 * 2 ** 20;
/** As fast as a good connection. Without a limit, the peak is that of garbage that is not collected yet. */
const bytesPerSecond = 100 * 2 ** 20;

test.each([
  ['in ranges', true],
  ['in one stream', false],
])('a worker that fetches a file of 200 MiB %s needs less than 150 MiB of memory', async (_, ranges) => {
  const source = await startGeneratedSource(fileBytes, { ranges, bytesPerSecond });
  try {
    const { sizeBytes, peakRssBytes } = await runFetch(source);
    expect(sizeBytes).toBe(fileBytes);
    expect(source.storedBytes()).toBe(fileBytes);
    expect(peakRssBytes / 2 ** 20).toBeLessThan(150);
  } finally {
    source.close();
  }
});
