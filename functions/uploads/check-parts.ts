import type { StoredPart } from '../aws/upload-store.ts';
import { PayloadTooLarge, ValidationFailed } from '../common/errors.ts';
import { uploadLimits } from '../common/limits.ts';

export type SentPart = { PartNumber: number; ETag: string };

/**
 * The parts to join, in order: what the client names must be what the store has, or the object would be another file
 * than the one sent.
 * @param maxBytes that the token of a direct upload permits
 * @throws ValidationFailed on `parts`, PayloadTooLarge over 5 TiB or `maxBytes`
 */
export function checkParts(sent: readonly SentPart[], stored: readonly StoredPart[], maxBytes?: number): StoredPart[] {
  const etags = new Map(sent.map(({ PartNumber, ETag }) => [PartNumber, unquoted(ETag)]));
  const known = new Set(stored.map(({ PartNumber }) => PartNumber));
  const bytes = stored.reduce((sum, { Size }) => sum + Size, 0);
  const last = stored.at(-1)?.PartNumber;
  const errors = [
    ...sent
      .filter(({ PartNumber }) => !known.has(PartNumber))
      .map(({ PartNumber }) => `Part ${PartNumber} was not uploaded.`),
    ...stored.flatMap(({ PartNumber, Size, ETag }, index) => {
      if (PartNumber !== index + 1 && stored[index - 1]?.PartNumber !== PartNumber - 1) {
        return [`Part ${PartNumber - 1} is missing.`];
      }
      const etag = etags.get(PartNumber);
      if (etag === undefined) return [`Part ${PartNumber} was uploaded and is not in the list.`];
      if (etag !== unquoted(ETag)) return [`Part ${PartNumber} has another ETag.`];
      if (Size < uploadLimits.minPartBytes && PartNumber !== last) return [`Part ${PartNumber} is smaller than 5 MiB.`];
      return [];
    }),
  ];
  if (errors.length > 0) throw new ValidationFailed({ parts: errors.slice(0, 10) });
  if (bytes === 0) throw new ValidationFailed({ parts: ['The file is empty.'] });
  if (bytes > uploadLimits.maxObjectBytes) throw new PayloadTooLarge('file_too_large', 'The object is over 5 TiB.');
  requireSize(bytes, maxBytes);
  return [...stored];
}

/**
 * Checks the size of a direct upload.
 * @throws PayloadTooLarge
 */
export function requireSize(bytes: number, maxBytes: number | null | undefined): void {
  if (typeof maxBytes !== 'number' || bytes <= maxBytes) return;
  throw new PayloadTooLarge(
    'file_too_large',
    `The file has ${bytes} bytes, and this upload token allows at most ${maxBytes}.`,
  );
}

const unquoted = (etag: string): string => etag.replace(/^"|"$/g, '').toLowerCase();
