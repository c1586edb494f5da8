export type Encoding = 'br' | 'gzip';

/** The encodings of a cache policy that a viewer accepts, in the order of the policy. */
export function acceptedEncodings(offered: readonly Encoding[], acceptEncoding = ''): Encoding[] {
  const accepted = new Set(
    acceptEncoding.split(',').flatMap((part) => (/;\s*q=0(\.0*)?\s*$/.test(part) ? [] : part.split(';')[0]!.trim())),
  );
  return offered.filter((encoding) => accepted.has(encoding));
}
