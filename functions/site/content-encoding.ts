import type { SiteEncoding } from '../../shared/site-manifest.ts';

/** The first of the available encodings that a client accepts; undefined for the plain form. */
export function chooseEncoding(
  available: readonly SiteEncoding[],
  acceptEncoding: string | undefined,
): SiteEncoding | undefined {
  const accepted = new Map(
    (acceptEncoding ?? '').split(',').map((part) => {
      const [name = '', ...parameters] = part.split(';').map((one) => one.trim().toLowerCase());
      const quality = parameters.find((one) => one.startsWith('q='));
      return [name, quality === undefined ? 1 : Number(quality.slice(2))];
    }),
  );
  return available.find((encoding) => (accepted.get(encoding) ?? accepted.get('*') ?? 0) > 0);
}
