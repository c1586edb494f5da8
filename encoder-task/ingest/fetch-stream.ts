import type { StoredPart } from '../../shared/protocol/jobs.ts';
import { Interrupted, tooLarge } from './failures.ts';
import type { FetchContext } from './fetch-context.ts';
import type { PartPlan } from './part-plan.ts';
import { createPartFile, type PartFile } from './part-store.ts';
import { readBody } from './read-body.ts';
import { emptyFile } from './read-response-head.ts';
import type { SourceResponse } from './source-client.ts';

/** Parts that are sent to the store while the next ones are read. */
const parallelUploads = 3;

/**
 * Stores the body of one response in parts.
 * @throws Interrupted when it ends early: the file must then be fetched again from its beginning
 */
export async function fetchStream(
  context: FetchContext,
  { partBytes, sizeBytes, maxBytes }: PartPlan,
  { response }: SourceResponse,
): Promise<StoredPart[]> {
  const parts: StoredPart[] = [];
  const sending = new Set<Promise<void>>();
  let failure: { error: unknown } | undefined;
  let received = 0;
  let filled = 0;
  let file: PartFile | undefined;
  let number = 0;

  const send = async (): Promise<void> => {
    if (!file) return;
    const [finished, part] = [file, { number, bytes: filled }];
    file = undefined;
    filled = 0;
    const sent: Promise<void> = finished
      .store()
      .then((etag) => {
        parts.push({ ...part, etag });
        if (sizeBytes !== null) context.reportProgress(Math.min(1, received / sizeBytes));
      })
      .catch((error) => {
        failure ??= { error };
      })
      .finally(() => sending.delete(sent));
    sending.add(sent);
    if (sending.size >= parallelUploads) await Promise.race(sending);
  };

  try {
    for await (const chunk of readBody(response, context)) {
      received += chunk.length;
      if (received > maxBytes) throw tooLarge(undefined, maxBytes);
      for (let from = 0; from < chunk.length; ) {
        if (failure) throw failure.error;
        file ??= await createPartFile(context, ++number);
        const slice = chunk.subarray(from, from + partBytes - filled);
        await file.write(slice);
        from += slice.length;
        filled += slice.length;
        if (filled === partBytes) await send();
      }
    }
    if (sizeBytes !== null && received !== sizeBytes)
      throw new Interrupted('it sent another number of bytes than it said');
    if (received === 0) throw emptyFile();
    await send();
  } finally {
    await file?.discard();
    await Promise.all(sending);
  }
  if (failure) throw failure.error;
  return parts.toSorted((a, b) => a.number - b.number);
}
