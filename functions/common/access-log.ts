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

/** Sums over access logs: bytes by UTC day, and the first day of each session. */
export type Deliveries = { bytes: Map<string, number>; sessions: Map<string, string> };

const dayMilliseconds = 86_400_000;
/**
 * Nodes keep logs that they could not ship for two weeks. An older line, or one of the future, comes from a wrong
 * clock.
 */
const oldestDays = 15;

/**
 * Refused requests have neither a session nor the path of an object; requests for public videos have no session. A
 * redirect is no response of the store.
 */
const isOfValidUrl = ({ session, path, status }: Access): boolean =>
  session !== '' || (path.startsWith('/videos/') && (status < 300 || status === 304));

/** The service asks its edge and proxies for samples each minute. No viewer has them. */
const isOfSample = ({ path }: Access): boolean => path.startsWith(`/${samplesPrefix}`);

type Lines = AsyncIterable<string> | Iterable<string>;

/**
 * Reads the lines of an access log and passes those of viewers on, with their UTC days: only responses to valid URLs of
 * videos.
 * @param nowMs milliseconds since 1970
 * @returns the number of lines that were not readable
 */
export async function readAccesses(
  lines: Lines,
  nowMs: number,
  act: (access: Access, date: string) => void | Promise<void>,
): Promise<number> {
  let unreadable = 0;
  for await (const line of lines) {
    const access = readAccess(line);
    const timeMs = Date.parse(access?.time ?? '');
    if (!access || !(timeMs > nowMs - oldestDays * dayMilliseconds && timeMs < nowMs + dayMilliseconds)) {
      unreadable += 1;
    } else if (isOfValidUrl(access) && !isOfSample(access)) {
      await act(access, day(timeMs));
    }
  }
  return unreadable;
}

export const emptyDeliveries = (): Deliveries => ({ bytes: new Map(), sessions: new Map() });

/** Adds a line of a viewer. Those of public videos have no session. */
export function addDelivery({ bytes, sessions }: Deliveries, access: Access, date: string): void {
  bytes.set(date, (bytes.get(date) ?? 0) + access.bytes);
  if (access.session === '' || access.session === listSession) return;
  const known = sessions.get(access.session);
  if (known === undefined || date < known) sessions.set(access.session, date);
}

function readAccess(line: string): Access | undefined {
  try {
    return accessSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
