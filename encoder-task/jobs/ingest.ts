import type { IngestSpec, JobResult } from '../../shared/protocol/jobs.ts';
import { unreachable } from '../ingest/failures.ts';
import { parallelRanges } from '../ingest/fetch-ranges.ts';
import { fetchSource } from '../ingest/fetch-source.ts';
import { createSourceClient } from '../ingest/source-client.ts';
import type { JobContext } from './job-context.ts';

const firstDelayMs = 500;

/** Fetches a file from its URL and stores it in parts, which the service joins. The URL is never logged. */
export async function ingest(context: JobContext<IngestSpec>): Promise<JobResult<'ingest'>> {
  const { spec, limits } = context;
  const url = URL.parse(spec.url);
  if (!url) throw unreachable('the URL is not valid');
  const client = createSourceClient({ allowLoopback: spec.allowLoopback, connections: parallelRanges });
  try {
    const { sizeBytes, parts } = await fetchSource(
      { ...context, client, url, firstDelayMs, stallSeconds: limits.stallSeconds },
      spec,
      (facts) => context.askParts({ ask: 'source', ...facts }),
    );
    return { sizeBytes, parts: parts.map(({ number, etag }) => ({ number, etag })), cpuSeconds: 0 };
  } finally {
    client.close();
  }
}
