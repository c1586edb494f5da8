import type { IncomingMessage } from 'node:http';
import { S3Error } from './s3-errors.ts';

/** At least so many bytes have to come in so many seconds that are spent waiting for the client. */
export type UploadRate = { bytes: number; seconds: number };

/** About 550 bytes a second: a tenth of what the slowest mobile network sends, with pauses of most of the time. */
export const defaultMinUploadRate: UploadRate = { bytes: 16 * 1024, seconds: 30 };

const tickMs = 1000;

/**
 * The body of a request, to be read once. One that comes slower than `slowest` ends with RequestTimeout; the time in which the reader does not ask for
 * more does not count. The request stays open for the answer to a body that is refused.
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
    // Not waited for: it would wait for the chunk that did not come.
    source.return?.().catch(() => {});
  }
}

/** Counts ticks of the clock, not their time: after the process itself stood still, there was no time for the client to use. */
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
