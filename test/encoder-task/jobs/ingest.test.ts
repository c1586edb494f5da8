import { expect, test, vi } from 'vitest';
import { ingest } from '../../../encoder-task/jobs/ingest.ts';
import type { JobContext } from '../../../encoder-task/jobs/job-context.ts';
import { startGeneratedSource } from '../../../lab/bench/ingest/generated-source.ts';
import type { IngestSpec } from '../../../shared/protocol/jobs.ts';

test('a file that the quota of the user does not allow is not stored', async () => {
  const source = await startGeneratedSource(1000);
  const askParts = vi.fn(async () => ({ quotaExceeded: 'The quota does not allow this.' }));
  const spec = { url: source.sourceUrl, partBytes: 100, maxBytes: 2000, source: null, storedParts: [] };
  const context = {
    spec: { kind: 'ingest', ...spec, allowLoopback: true },
    limits: { stallSeconds: 10 },
    askParts,
    signal: AbortSignal.timeout(10_000),
  };
  try {
    await expect(ingest(context as unknown as JobContext<IngestSpec>)).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
      fatal: true,
      message: 'The quota does not allow this.',
    });
    expect(askParts).toHaveBeenCalledExactlyOnceWith({ ask: 'source', sizeBytes: 1000, validator: '"1"' });
    expect(source.storedBytes()).toBe(0);
  } finally {
    source.close();
  }
});
