import type { IngestSpec, SourceProperties, StoredPart } from '../../shared/protocol/jobs.ts';
import { changed } from './failures.ts';
import type { FetchContext } from './fetch-context.ts';
import { fetchRanges } from './fetch-ranges.ts';
import { fetchStream } from './fetch-stream.ts';
import { planParts } from './part-plan.ts';
import { type ResponseHead, readResponseHead } from './read-response-head.ts';
import { retrying } from './retries.ts';
import type { SourceResponse } from './source-client.ts';

export type Fetched = { sizeBytes: number; parts: StoredPart[] };

/** Called once the server has described the file, before any part is stored. */
type Found = (properties: SourceProperties) => Promise<unknown>;

/**
 * Fetches the file of an ingest and stores it in parts: in parallel ranges if the server has them and names the version
 * of the file, else in one stream. The result is the file as it was when the first attempt began, or an error.
 */
export async function fetchSource(context: FetchContext, spec: IngestSpec, found: Found): Promise<Fetched> {
  const resumed = await resume(context, spec);
  if (resumed) return resumed;
  const opened = await retrying(context, () => open(context, { range: `bytes=0-${spec.partBytes - 1}` }));
  const { head } = opened;
  const properties = await describe(spec, head, found);
  const plan = planParts(head.sizeBytes, spec);
  const { sizeBytes, validator } = properties;
  if (head.isPartial && sizeBytes !== null && validator !== null) {
    const source = { sizeBytes, validator, partBytes: plan.partBytes };
    return { sizeBytes, parts: await fetchRanges(context, source, [], opened) };
  }
  let first: Opened | undefined = isWhole(head) ? opened : undefined;
  if (!first) opened.response.destroy();
  return retrying(context, async () => {
    const whole: Opened = first ?? (await open(context, {}));
    first = undefined;
    const known = whole.head;
    // A server that repeats its response to the range has no other.
    if (!isWhole(known) || isOther(known, properties)) {
      whole.response.destroy();
      throw changed('its size, ETag or modification date is not the same any more');
    }
    return fetched(await fetchStream(context, planParts(known.sizeBytes, spec), whole));
  });
}

/** Continues with the parts that an earlier attempt has stored. Undefined when they cannot be used. */
async function resume(context: FetchContext, spec: IngestSpec): Promise<Fetched | undefined> {
  const { source, storedParts } = spec;
  if (!source || source.sizeBytes === null || source.validator === null || storedParts.length === 0) return undefined;
  const { sizeBytes, validator } = source;
  const { partBytes } = planParts(sizeBytes, spec);
  const isWhole = ({ number, bytes }: StoredPart): boolean =>
    bytes === Math.min(partBytes, sizeBytes - (number - 1) * partBytes);
  return {
    sizeBytes,
    parts: await fetchRanges(context, { sizeBytes, validator, partBytes }, storedParts.filter(isWhole)),
  };
}

type Opened = SourceResponse & { head: ResponseHead };

async function open(context: FetchContext, headers: Record<string, string>): Promise<Opened> {
  const { client, signal, pace, storageName } = context;
  const url = await context.currentUrl();
  const opened = await pace.wait(() => client.get(url, headers, signal));
  try {
    return { ...opened, head: readResponseHead(opened.response, 0, storageName) };
  } catch (error) {
    opened.response.destroy();
    throw error;
  }
}

async function describe({ source }: IngestSpec, head: ResponseHead, found: Found): Promise<SourceProperties> {
  const { sizeBytes, validator } = head;
  if (source && isOther(head, source)) throw changed('it is not the file that an earlier attempt has found');
  await found({ sizeBytes, validator });
  return { sizeBytes, validator };
}

const isOther = (head: SourceProperties, known: SourceProperties): boolean =>
  (head.sizeBytes !== null && known.sizeBytes !== null && head.sizeBytes !== known.sizeBytes) ||
  (head.validator !== null && known.validator !== null && head.validator !== known.validator);

const isWhole = ({ isPartial, startByte, endByte, sizeBytes }: ResponseHead): boolean =>
  !isPartial || (startByte === 0 && endByte === sizeBytes);

const fetched = (parts: StoredPart[]): Fetched => ({
  sizeBytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
  parts,
});
