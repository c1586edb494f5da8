import type { CachePolicy } from '../../template/distributions/cloudfront-policies.ts';

// https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/Expiration.html

type Headers = Readonly<Record<string, string | string[] | undefined>>;
type Limits = Pick<CachePolicy, 'minSeconds' | 'defaultSeconds' | 'maxSeconds'>;

/**
 * Seconds for which a response is delivered without asking the origin again. 0: it is kept, but each use is
 * revalidated. Undefined: it is not kept.
 */
export function freshSeconds(headers: Headers, limits: Limits, nowMs: number): number | undefined {
  const { minSeconds, defaultSeconds, maxSeconds } = limits;
  if (maxSeconds === 0) return undefined;
  const directives = directivesOf(headers['cache-control']);
  if (['no-store', 'private', 'no-cache'].some((name) => directives.has(name))) {
    if (minSeconds > 0) return minSeconds;
    return directives.has('no-store') || directives.has('private') ? undefined : 0;
  }
  const given = directives.get('s-maxage') ?? directives.get('max-age');
  const expiresMs = Date.parse(String(headers.expires ?? ''));
  const seconds = given !== undefined ? Number(given) : (expiresMs - nowMs) / 1000;
  const wanted = Number.isNaN(seconds) ? defaultSeconds : seconds;
  return Math.min(Math.max(wanted, minSeconds), maxSeconds);
}

/** Errors that CloudFront caches. It never caches 416. */
const cachedErrors = new Set([400, 403, 404, 405, 414, 500, 501, 502, 503, 504]);
const defaultErrorSeconds = 10;

/** Seconds for which an error is delivered again, whatever the cache policy says. Undefined: it is not kept. */
export function errorSeconds(
  status: number,
  headers: Headers,
  minimum: ReadonlyMap<number, number>,
): number | undefined {
  if (!cachedErrors.has(status)) return undefined;
  const directives = directivesOf(headers['cache-control']);
  const given = Number(directives.get('s-maxage') ?? directives.get('max-age') ?? 0);
  // 400 is cached only if the origin says so.
  const least = minimum.get(status) ?? (status === 400 ? 0 : defaultErrorSeconds);
  const seconds = Math.max(least, Number.isNaN(given) ? 0 : given);
  return seconds > 0 ? seconds : undefined;
}

function directivesOf(header: string | string[] | undefined): Map<string, string> {
  const text = [header ?? ''].flat().join(',').toLowerCase();
  return new Map(
    text.split(',').map((part) => {
      const [name = '', value = ''] = part.trim().split('=');
      return [name, value.replace(/"/g, '')];
    }),
  );
}
