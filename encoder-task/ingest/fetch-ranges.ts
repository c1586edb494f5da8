import type { SourceProperties, StoredPart } from '../../shared/protocol/jobs.ts';
import { eachInParallel } from '../runtime/each-in-parallel.ts';
import { changed, Interrupted } from './failures.ts';
import type { FetchContext } from './fetch-context.ts';
import { type PartRange, partRanges } from './part-plan.ts';
import { createPartFile } from './part-store.ts';
import { readBody } from './read-body.ts';
import { type ResponseHead, readResponseHead } from './read-response-head.ts';
import { retrying } from './retries.ts';
import type { SourceResponse } from './source-client.ts';

export type RangedSource = { sizeBytes: number; validator: string };

/** How many requests run at the same time. More would look like an attack to some servers. */
export const parallelRanges = 4;

/**
 * Fetches a file in parallel ranges and stores each as a part. Every request names the version of the file, so all
 * parts are of the same one.
 * @param stored parts of an earlier attempt at the same version
 * @param opened a response with the first bytes of the first missing part
 */
export async function fetchRanges(
  context: FetchContext,
  source: RangedSource & { partBytes: number },
  stored: readonly StoredPart[],
  opened?: SourceResponse,
): Promise<StoredPart[]> {
  const parts: StoredPart[] = [...stored];
  const known = new Set(stored.map(({ number }) => number));
  const missing = partRanges(source.sizeBytes, source.partBytes).filter(({ number }) => !known.has(number));
  let first = opened;
  // The address that a redirect led to.
  let redirected = opened?.url;
  const report = (): void => {
    const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
    context.reportProgress(bytes / source.sizeBytes);
  };
  const openRange = async (startByte: number, endByte: number): Promise<SourceResponse> => {
    if (first && startByte === missing[0]?.startByte) {
      const response = first;
      first = undefined;
      return response;
    }
    try {
      const headers = rangeHeaders(startByte, endByte, source);
      const url = (context.storageName === undefined && redirected) || (await context.currentUrl());
      const found = await context.pace.wait(() => context.client.get(url, headers, context.signal));
      requireSame(readResponseHead(found.response, startByte, context.storageName), source);
      return found;
    } catch (error) {
      // It may have expired.
      redirected = undefined;
      throw error;
    }
  };
  const fetchPart = async (range: PartRange): Promise<void> => {
    const file = await createPartFile(context, range.number);
    let at = range.startByte;
    try {
      await retrying(
        context,
        async () => {
          while (at < range.endByte) {
            const { response } = await openRange(at, range.endByte);
            for await (const chunk of readBody(response, context)) {
              if (chunk.length > range.endByte - at) throw new Interrupted('it sent more bytes than a range has');
              await file.write(chunk);
              at += chunk.length;
            }
          }
        },
        () => at,
      );
      parts.push({ number: range.number, bytes: range.endByte - range.startByte, etag: await file.store() });
      report();
    } catch (error) {
      await file.discard();
      throw error;
    }
  };
  report();
  await eachInParallel(missing, parallelRanges, fetchPart);
  return parts.toSorted((a, b) => a.number - b.number);
}

export const rangeHeaders = (
  startByte: number,
  endByte: number,
  { validator }: Pick<SourceProperties, 'validator'>,
) => ({
  range: `bytes=${startByte}-${endByte - 1}`,
  ...(validator !== null && { 'if-range': validator }),
});

/** @throws JobError INPUT_CHANGED when a response is of another version of the file */
export function requireSame(head: ResponseHead, source: SourceProperties): void {
  if (head.sizeBytes !== source.sizeBytes) throw changed('its size is not the same any more');
  if (head.validator !== null && head.validator !== source.validator) {
    throw changed('its ETag or modification date is not the same any more');
  }
  if (head.isPartial) return;
  // The server may not know the header If-Range, and send the whole file only when the version differs.
  if (head.validator === null) throw changed('the server sends another version of it');
  throw new Interrupted('it does not answer range requests any more');
}
