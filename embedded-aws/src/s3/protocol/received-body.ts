import type { IncomingMessage } from 'node:http';
import { S3Error } from './s3-errors.ts';

/** The bytes that must arrive in the given time. Only time in which the server waits for the client counts. */
export type UploadRate = { bytes: number; seconds: number };

/** About 550 bytes per second: a tenth of the slowest mobile networks, so that long pauses are possible. */
export const defaultMinUploadRate: UploadRate = { bytes: 16 * 1024, seconds: 30 };

const tickMs = 1000;

/**
 * Reads the body of a request once. An upload slower than `minUploadRate` ends with RequestTimeout; the time between
 * reads does not count. The request stays open, so that an error can be answered.
 */
export async function* receivedBody(request: IncomingMessage, minUploadRate: UploadRate): AsyncGenerator<Buffer> {
  const source = request.iterator({ destroyOnReturn: false });
  const watch = watchRate(minUploadRate);
  try {
    for (;;) {
      const { done, value } = await watch.waitFor(source.next());
      if (done) return;
      watch.received(value.length);
      yield value;
    }
  } finally {
    watch.stop();
    // Not awaited, because it waits for the next chunk.
    source.return?.().catch(() => {});
  }
}

/** Counts timer ticks instead of elapsed time: while the process was suspended, the client could not send. */
function watchRate({ bytes: least, seconds }: UploadRate) {
  const ticksOfWindow = (seconds * 1000) / tickMs;
  let bytes = 0;
  let ticks = 0;
  let timeOut: ((error: Error) => void) | undefined;
  const timer = setInterval(() => {
    if (!timeOut) return;
    ticks += 1;
    if (ticks < ticksOfWindow) return;
    if (bytes < least) timeOut(new S3Error('RequestTimeout'));
    ticks = 0;
    bytes = 0;
  }, tickMs);

  return {
    waitFor<Value>(next: Promise<Value>): Promise<Value> {
      return new Promise((resolve, reject) => {
        timeOut = reject;
        const settled = () => {
          timeOut = undefined;
        };
        next.then(resolve, reject).finally(settled);
      });
    },
    received(count: number): void {
      bytes += count;
    },
    stop: () => clearInterval(timer),
  };
}
