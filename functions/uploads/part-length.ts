import { Conflict, ValidationFailed } from '../common/errors.ts';
import { uploadLimits } from '../common/limits.ts';
import type { Quota, Upload } from '../table/records.ts';
import { findAnyUpload, setPartSizes } from '../table/uploads/upload-table.ts';

// What an upload stores before it is complete is bounded by the lengths that the URLs of its parts are signed for. All
// parts but the last have the same size, so the declared size of the file and one part decide the length of each.

/** A part to sign; `bytes` is absent when the client does not name its length. */
type AskedPart = { number: number; bytes: number | undefined };

/** 16 MiB, or as many MiB as a file of this size needs to fit into 10,000 parts. */
export function suggestedPartBytes(sizeBytes: number): number {
  const mebibyte = 2 ** 20;
  return Math.max(uploadLimits.suggestedPartBytes, Math.ceil(sizeBytes / uploadLimits.maxParts / mebibyte) * mebibyte);
}

/** Whether what the client sends has a limit: the declared size is needed then. */
export const needsSize = (maxBytes: number | null | undefined, quota: Quota | null): boolean =>
  typeof maxBytes === 'number' || typeof quota?.uploadBytesPerMonth === 'number';

const lengthOf = (sizeBytes: number, partBytes: number, number: number): number =>
  Math.min(partBytes, sizeBytes - (number - 1) * partBytes);

/**
 * The sizes that the parts of a file can have when one of them has this length: those of `known`, or one or two. A long
 * last part could also be another one of smaller parts.
 */
export function fittingPartSizes(
  sizeBytes: number,
  { number, bytes }: { number: number; bytes: number },
  known: readonly number[] = [bytes, (sizeBytes - bytes) / (number - 1)],
): number[] {
  const isPart = (partBytes: number): boolean =>
    Number.isInteger(partBytes) &&
    partBytes >= Math.min(uploadLimits.minPartBytes, sizeBytes) &&
    lengthOf(sizeBytes, partBytes, number) === bytes;
  return [...new Set(known.filter(isPart))];
}

const maxAttempts = 5;

/**
 * The length to sign a part for. The first parts decide which size all of them have, which the record keeps. Undefined
 * when neither the client has named a length nor anything limits its upload.
 * @throws ValidationFailed for a length that does not fit to the other parts
 * @throws Conflict for a limited upload without size
 */
export async function lengthToSign(found: Upload, part: AskedPart, quota: Quota | null): Promise<number | undefined> {
  const isLimited = needsSize(found.maxBytes, quota);
  let upload: Upload | undefined = found;
  for (let attempt = 1; upload?.status === 'open' && attempt <= maxAttempts; attempt++) {
    const { sizeBytes, partSizes } = upload;
    if (sizeBytes === undefined) {
      if (isLimited)
        throw new Conflict(
          'upload_size_unknown',
          'The upload has no declared size, which it needs now. Create it again with size.',
        );
      return part.bytes;
    }
    if (part.bytes === undefined && !isLimited && !partSizes) return undefined;
    const known = partSizes ?? (part.bytes === undefined ? [suggestedPartBytes(sizeBytes)] : undefined);
    const bytes = part.bytes ?? lengthOf(sizeBytes, known?.[0] ?? 0, part.number);
    const fitting = bytes > 0 ? fittingPartSizes(sizeBytes, { number: part.number, bytes }, known) : [];
    if (fitting.length === 0) throw doesNotFit(sizeBytes, part, known);
    if (fitting.length === partSizes?.length || (await setPartSizes(upload, fitting))) return bytes;
    // A concurrent call has decided the size of the parts.
    upload = await findAnyUpload(upload.ulid);
  }
  throw new Conflict('concurrent_change', 'The upload was changed at the same time. Try again.');
}

function doesNotFit(sizeBytes: number, { number, bytes }: AskedPart, known: readonly number[] | undefined) {
  const field = bytes === undefined ? 'partNumber' : 'size';
  const sizes = known ? `parts of ${known.join(' or ')} bytes` : 'parts of one size from 5 MiB on';
  const asked = bytes === undefined ? `part ${number}` : `a part ${number} of ${bytes} bytes`;
  return new ValidationFailed({ [field]: [`A file of ${sizeBytes} bytes in ${sizes} has no such part: ${asked}.`] });
}
