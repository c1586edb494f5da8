import * as z from 'zod';
import { cmcdArgument } from '../../delivery/urls/cmcd-argument.ts';
import signedUrl from '../../delivery/urls/signed-url.js';
import type { Access } from '../common/access-log.ts';

/** A line of the distribution's access log, whose values are texts. */
const line = z.object({
  date: z.string(),
  time: z.string(),
  'c-ip': z.string(),
  'cs-method': z.string(),
  'cs-uri-stem': z.string(),
  /** Not in lines from before an update of the stage. */
  'cs-uri-query': z.string().default('-'),
  'sc-status': z.coerce.number().int(),
  'sc-bytes': z.coerce.number().int().nonnegative(),
  'time-taken': z.coerce.number(),
  'cs(User-Agent)': z.string(),
});

/** A file that the distribution delivers, by its URL or by the key into which the function turns it. */
const filePath = /^\/([sp]\/|videos\/[0-9A-HJKMNP-TV-Z]{26}\/.+\.\w+$)/;

/**
 * Responses of the store to requests that the function has accepted. All others may come before a signature is checked:
 * from the function, and from CloudFront, which redirects requests without TLS and refuses long ones.
 */
const delivered = [200, 206, 304, 404, 412, 416];

/**
 * The line in the form in which proxies log, without the token of the path, which gives access to a video. Undefined
 * for a request that is not for a file, and for a line of another form.
 */
export function accessOf(text: string): Access | undefined {
  const found = line.safeParse(parseJson(text)).data;
  const path = found?.['cs-uri-stem'] ?? '';
  if (!found || !filePath.test(path)) return undefined;
  const isAccepted = delivered.includes(found['sc-status']);
  const { url_session: session, url_object: object } = signedUrl.signedPath.exec(path)?.groups ?? {};
  const { public_video: video, public_path: file } = signedUrl.publicPath.exec(path)?.groups ?? {};
  const cmcd = isAccepted ? cmcdOf(found['cs-uri-query']) : undefined;
  const key = object ?? (video && `videos/${video}${file}`) ?? (path.startsWith('/videos/') && path.slice(1));
  return {
    time: `${found.date}T${found.time}Z`,
    node: 'edge',
    method: found['cs-method'],
    path: isAccepted && key ? `/${key}` : path.replace(/^\/s\/[^/]*/, '/s/-').slice(0, 200),
    session: isAccepted && session ? session : '',
    status: found['sc-status'],
    bytes: found['sc-bytes'],
    durationSeconds: found['time-taken'],
    remoteAddress: found['c-ip'],
    userAgent: decoded(found['cs(User-Agent)']),
    ...(cmcd !== undefined && { cmcd }),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The query argument CMCD as the viewer sent it. CloudFront may encode what it logs once more: then every percent sign
 * begins the code of one. That is not so for a value which is encoded once, because its quotation marks are.
 */
function cmcdOf(query: string): string | undefined {
  const isEncodedAgain = query.includes('%') && !/%(?!25)/.test(query);
  return cmcdArgument.exec(`?${isEncodedAgain ? query.replaceAll('%25', '%') : query}`)?.groups?.url_cmcd;
}

/** CloudFront encodes the header for URLs, once or twice. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
