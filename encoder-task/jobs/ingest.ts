import { JobError } from '../../shared/protocol/job-errors.ts';
import type { IngestSpec, JobResult, SourceProperties } from '../../shared/protocol/jobs.ts';
import { unreachable } from '../ingest/failures.ts';
import { parallelRanges } from '../ingest/fetch-ranges.ts';
import { fetchSource } from '../ingest/fetch-source.ts';
import { createPace } from '../ingest/pace.ts';
import { createSourceClient } from '../ingest/source-client.ts';
import type { JobContext } from './job-context.ts';

const firstDelayMs = 500;

/** Fetches a file from its URL and stores it in parts, which the service joins. The URL is never logged. */
export async function ingest(context: JobContext<IngestSpec>): Promise<JobResult<'ingest'>> {
  const { spec, limits } = context;
  const url = URL.parse(spec.url);
  if (!url) throw unreachable('the URL is not valid');
  const { storage, allowLoopback } = spec;
  const keepsRedirects = storage !== undefined;
  const client = createSourceClient({ allowLoopback, connections: parallelRanges, keepsRedirects });
  const currentUrl = storage ? renewedUrl(context, url, storage.urlSeconds) : () => Promise.resolve(url);
  try {
    const { sizeBytes, parts } = await fetchSource(
      {
        ...context,
        client,
        currentUrl,
        storageName: storage?.name,
        firstDelayMs,
        stallSeconds: limits.stallSeconds,
        pace: createPace(),
      },
      spec,
      (properties) => reportSource(context, properties),
    );
    return { sizeBytes, parts: parts.map(({ number, etag }) => ({ number, etag })), cpuSeconds: 0 };
  } finally {
    client.close();
  }
}

/** The signed URL of an object, asked for again when half of its time is over. Requests at the same time share it. */
function renewedUrl({ askParts }: JobContext<IngestSpec>, first: URL, urlSeconds: number): () => Promise<URL> {
  const renewAfterMs = (urlSeconds / 2) * 1000;
  let url = Promise.resolve(first);
  let signedAtMs = performance.now();
  return () => {
    if (performance.now() - signedAtMs < renewAfterMs) return url;
    const earlier = { url, signedAtMs };
    signedAtMs = performance.now();
    url = askParts({ ask: 'source-url' }).then(
      ({ urls }) => new URL(urls?.source ?? ''),
      (error) => {
        // The next request asks again.
        ({ url, signedAtMs } = earlier);
        throw error;
      },
    );
    return url;
  };
}

/** @throws JobError QUOTA_EXCEEDED when the quota of the user does not allow a file of this size */
async function reportSource({ askParts }: JobContext<IngestSpec>, properties: SourceProperties): Promise<void> {
  const { quotaExceeded } = await askParts({ ask: 'source', ...properties });
  if (quotaExceeded !== undefined) throw new JobError('QUOTA_EXCEEDED', quotaExceeded);
}
