/** A part of a file: bytes [startByte, endByte). Numbers begin at 1. */
export type Part = { number: number; startByte: number; endByte: number };

/** A part that the store has, with the field names of S3. */
export type UploadedPart = { PartNumber: number; Size: number; ETag: string };

/** The parts that the store does not have in full length. */
export function missingParts(file: {
  totalBytes: number;
  partBytes: number;
  uploaded: readonly UploadedPart[];
}): Part[] {
  const { totalBytes, partBytes } = file;
  const sizes = new Map(file.uploaded.map(({ PartNumber, Size }) => [PartNumber, Size]));
  return Array.from({ length: Math.ceil(totalBytes / partBytes) }, (_, index) => ({
    number: index + 1,
    startByte: index * partBytes,
    endByte: Math.min(totalBytes, (index + 1) * partBytes),
  })).filter(({ number, startByte, endByte }) => sizes.get(number) !== endByte - startByte);
}
