import * as z from 'zod';
import { day } from '../clock.ts';

/** One request as a line of an access log tells it. The token of its path is the right to a video: it is not in it. */
const accessSchema = z.object({
  /** ISO 8601 with its zone */
  time: z.string(),
  /** of the proxy */
  node: z.string(),
  method: z.string(),
  /** the object with a slash in front, or what a refused path may be told of */
  path: z.string(),
  /** of the viewer; empty for what was refused */
  session: z.string(),
  status: z.int(),
  /** sent, headers included */
  bytes: z.int().nonnegative(),
  durationSeconds: z.number(),
  remoteAddress: z.string(),
  userAgent: z.string(),
});
export type Access = z.infer<typeof accessSchema>;

/** What lines of access logs come to: bytes by UTC day, the first day of each session, and how many lines could not be read. */
export type Deliveries = { bytes: Map<string, number>; sessions: Map<string, string>; unreadable: number };

const dayMilliseconds = 86_400_000;
/** Nodes keep what they could not ship for two weeks. A line from outside these days comes from a clock that is wrong. */
const oldestDays = 15;

/**
 * Adds up lines of access logs. Only what was sent under a valid link counts.
 * @param nowMs milliseconds since 1970, which no line can be far away from
 */
export async function sumAccesses(lines: AsyncIterable<string> | Iterable<string>, nowMs: number): Promise<Deliveries> {
  const sums: Deliveries = { bytes: new Map(), sessions: new Map(), unreadable: 0 };
  for await (const line of lines) {
    const access = readAccess(line);
    const timeMs = Date.parse(access?.time ?? '');
    if (!access || !(timeMs > nowMs - oldestDays * dayMilliseconds && timeMs < nowMs + dayMilliseconds)) {
      sums.unreadable += 1;
    } else if (access.session !== '') {
      const date = day(timeMs);
      sums.bytes.set(date, (sums.bytes.get(date) ?? 0) + access.bytes);
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
