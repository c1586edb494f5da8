import * as z from 'zod';
import { day } from '../../shared/clock.ts';
import { samplesPrefix } from '../../shared/object-keys.ts';

/** One line of an access log. It leaves the token of the path out, because the token gives access to a video. */
const accessSchema = z.object({
  /** ISO 8601 with its zone */
  time: z.string(),
  /** ULID of the proxy node */
  node: z.string(),
  method: z.string(),
  /** the object key after a slash; of a refused request only what is safe to log */
  path: z.string(),
  /** session of the signed URL; empty for a refused request */
  session: z.string(),
  status: z.int(),
  /** sent bytes, headers included */
  bytes: z.int().nonnegative(),
  durationSeconds: z.number(),
  remoteAddress: z.string(),
  userAgent: z.string(),
  /** the query argument CMCD, percent-encoded as received, at most 2,000 characters */
  cmcd: z.string().optional(),
});
export type Access = z.infer<typeof accessSchema>;

/** The session of the signed URLs in lists. It is one for all viewers, so it is not counted as a session. */
export const listSession = 'list';

/**
 * Sums over access logs: bytes by UTC day, the first day of each session, and the number of lines that were not
 * readable.
 */
export type Deliveries = { bytes: Map<string, number>; sessions: Map<string, string>; unreadable: number };

const dayMilliseconds = 86_400_000;
/**
 * Nodes keep logs that they could not ship for two weeks. An older line, or one of the future, comes from a wrong
 * clock.
 */
const oldestDays = 15;

/** Refused requests have neither a session nor the path of an object; requests for public videos have no session. */
const isOfValidUrl = ({ session, path, status }: Access): boolean =>
  session !== '' || (path.startsWith('/videos/') && status < 400);

/** The service asks its edge and proxies for samples each minute. No viewer has them. */
const isOfSample = ({ path }: Access): boolean => path.startsWith(`/${samplesPrefix}`);

/**
 * Sums lines of access logs. Only responses to valid URLs of videos count. Those of public videos have no session.
 * @param nowMs milliseconds since 1970
 */
export async function sumAccesses(lines: AsyncIterable<string> | Iterable<string>, nowMs: number): Promise<Deliveries> {
  const sums: Deliveries = { bytes: new Map(), sessions: new Map(), unreadable: 0 };
  for await (const line of lines) {
    const access = readAccess(line);
    const timeMs = Date.parse(access?.time ?? '');
    if (!access || !(timeMs > nowMs - oldestDays * dayMilliseconds && timeMs < nowMs + dayMilliseconds)) {
      sums.unreadable += 1;
    } else if (isOfValidUrl(access) && !isOfSample(access)) {
      const date = day(timeMs);
      sums.bytes.set(date, (sums.bytes.get(date) ?? 0) + access.bytes);
      if (access.session === '' || access.session === listSession) continue;
      const known = sums.sessions.get(access.session);
      if (known === undefined || date < known) sums.sessions.set(access.session, date);
    }
  }
  return sums;
}

function readAccess(line: string): Access | undefined {
  try {
    return accessSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
