import { maxObjectBytes } from '../../shared/protocol/probe-result.ts';
import { tooLarge } from './failures.ts';

const maxParts = 10_000;
const mebibyte = 2 ** 20;

/** How a file is cut into parts. `partCount` is null while its size is not known. */
export type PartPlan = { partBytes: number; sizeBytes: number | null; partCount: number | null; maxBytes: number };
export type PartRange = { number: number; startByte: number; endByte: number };

/**
 * The same for each attempt at the same file, so that parts of an earlier attempt can be kept.
 * @throws JobError INPUT_TOO_LARGE
 */
export function planParts(
  sizeBytes: number | null,
  { partBytes, maxBytes }: { partBytes: number; maxBytes: number },
): PartPlan {
  if (sizeBytes === null) {
    return { partBytes, sizeBytes, partCount: null, maxBytes: Math.min(maxBytes, maxParts * partBytes) };
  }
  if (sizeBytes > maxBytes || sizeBytes > maxObjectBytes) throw tooLarge(sizeBytes, Math.min(maxBytes, maxObjectBytes));
  const isEnough = sizeBytes <= maxParts * partBytes;
  const bytes = isEnough ? partBytes : Math.ceil(sizeBytes / maxParts / mebibyte) * mebibyte;
  return { partBytes: bytes, sizeBytes, partCount: Math.ceil(sizeBytes / bytes), maxBytes };
}

/** The bytes of each part of a file of known size. */
export const partRanges = (sizeBytes: number, partBytes: number): PartRange[] =>
  Array.from({ length: Math.ceil(sizeBytes / partBytes) }, (_, index) => ({
    number: index + 1,
    startByte: index * partBytes,
    endByte: Math.min(sizeBytes, (index + 1) * partBytes),
  }));
