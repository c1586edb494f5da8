import { expect, test } from 'vitest';
import { allowedSeconds, createPace } from '../../../encoder-task/ingest/pace.ts';

test('each part of a file has the rate that its server must keep, after five minutes', () => {
  expect(allowedSeconds(0)).toBe(300);
  expect(allowedSeconds(64e6)).toBe(300 + 1000);
  expect(allowedSeconds(100e6)).toBe(300 + 1562.5);
  expect(allowedSeconds(1e9)).toBe(300 + 1562.5 + 9000);
  expect(Math.round(allowedSeconds(10e9) / 3600)).toBe(10);
  expect(Math.round(allowedSeconds(50e9) / 3600)).toBe(16);
});

/** Waits once for each number of seconds, during which the server sends `bytesPerSecond`. */
async function send(bytesPerSecond: number, waits: number[]) {
  let seconds = 0;
  const pace = createPace(() => seconds * 1000);
  for (const wait of waits) {
    await pace.wait(async () => {
      seconds += wait;
      pace.received(wait * bytesPerSecond);
    });
    // the store
    seconds += 1000;
  }
  return seconds;
}

test('a server that trickles is refused after minutes, and one that keeps the rate never', async () => {
  const minutes = (count: number): number[] => Array.from({ length: count }, () => 60);
  await expect(send(20_000, minutes(60))).rejects.toThrow(
    'The server of the URL did not send the file: it is too slow, with 9 MB in 8 minutes. Ingest the file from a faster server, or upload it.',
  );
  await expect(send(64_000, minutes(25))).resolves.toBeGreaterThan(0);
  await expect(send(64_000, minutes(60))).rejects.toMatchObject({ code: 'INPUT_UNREACHABLE', fatal: true });
  await expect(send(350_000, minutes(8 * 60))).resolves.toBeGreaterThan(0);
});

test('parallel requests share one rate, and time without a request does not count', async () => {
  let seconds = 0;
  const pace = createPace(() => seconds * 1000);
  const ends: (() => void)[] = [];
  const waiting = [1, 2, 3, 4].map(() => pace.wait(() => new Promise<void>((resolve) => ends.push(resolve))));
  seconds += 290;
  for (const end of ends) end();
  await Promise.all(waiting);
  seconds += 10_000;
  const wait = (more: number) =>
    pace.wait(async () => {
      seconds += more;
    });
  await wait(9);
  await expect(wait(2)).rejects.toThrow('too slow');
});
