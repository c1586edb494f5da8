import type { JobError } from '../../shared/protocol/job-errors.ts';
import { tooSlow } from './failures.ts';

/**
 * The rate that a server must keep on average, for each part of a file: 100 MB may take half an hour, 1 GB three hours,
 * 10 GB ten hours. A server that sends less holds the fetcher of a worker for longer than other users can wait.
 */
const minimumRates = [
  { upToBytes: 100e6, bytesPerSecond: 64_000 },
  { upToBytes: 1e9, bytesPerSecond: 100_000 },
  { upToBytes: 10e9, bytesPerSecond: 350_000 },
  { upToBytes: Number.POSITIVE_INFINITY, bytesPerSecond: 2_000_000 },
] as const;

/** A server may take this long to begin, and to make up for a slow phase. */
const graceSeconds = 300;

/** How many seconds a server may use to send so many bytes. */
export const allowedSeconds = (bytes: number): number =>
  minimumRates.reduce((seconds, { upToBytes, bytesPerSecond }, position) => {
    const fromBytes = minimumRates[position - 1]?.upToBytes ?? 0;
    return seconds + Math.max(0, Math.min(bytes, upToBytes) - fromBytes) / bytesPerSecond;
  }, graceSeconds);

/** What a server is measured by: how long it may take, and the error when it takes longer. */
type Rules = {
  allowedSeconds: (bytes: number, count: number) => number;
  tooSlow: (bytes: number, seconds: number) => JobError;
};

const ofSource: Rules = { allowedSeconds, tooSlow };

/** Measures the rate at which a server sends or takes files, over all requests of an attempt. */
export type Pace = {
  /** bytes that have arrived: some of a file that is fetched, or a whole piece of one that is sent */
  received: (bytes: number) => void;
  /**
   * Waits for the server. Time in which nothing waits for it, such as that of the store, does not count.
   * @throws JobError when the server has become too slow
   */
  wait: <Result>(awaited: () => Promise<Result>) => Promise<Result>;
};

export function createPace(nowMs: () => number = () => performance.now(), rules: Rules = ofSource): Pace {
  let receivedBytes = 0;
  let receivedCount = 0;
  let waiting = 0;
  let waitedMs = 0;
  let countedAtMs = 0;
  const count = (): void => {
    const atMs = nowMs();
    if (waiting > 0) waitedMs += atMs - countedAtMs;
    countedAtMs = atMs;
  };
  return {
    received: (bytes) => {
      receivedBytes += bytes;
      receivedCount += 1;
    },
    wait: async (awaited) => {
      count();
      waiting++;
      const result = await awaited().finally(() => {
        count();
        waiting--;
      });
      const waitedSeconds = waitedMs / 1000;
      if (waitedSeconds > rules.allowedSeconds(receivedBytes, receivedCount)) {
        throw rules.tooSlow(receivedBytes, waitedSeconds);
      }
      return result;
    },
  };
}
