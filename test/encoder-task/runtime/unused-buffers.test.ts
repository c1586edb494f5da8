import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const moduleUrl = new URL('../../../encoder-task/runtime/unused-buffers.ts', import.meta.url).href;

/** The most memory of buffers of 64 KiB, such as those of received bytes, of which only the last is in use. */
async function peakBufferMib(firstStatement: string): Promise<number> {
  const script = `
    import { collectBuffersEarly } from '${moduleUrl}';
    ${firstStatement}
    let [last, peak] = [undefined, 0];
    for (let n = 0; n < 4000; n++) {
      last = Buffer.allocUnsafeSlow(64 * 1024);
      peak = Math.max(peak, process.memoryUsage().arrayBuffers);
      // As in a program that awaits its input. A collection of the whole heap ends in a task only, and until then it
      // keeps the buffers that were new when it began.
      if (n % 16 === 0) await new Promise(setImmediate);
    }
    console.log(peak / 2 ** 20);`;
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  expect(stderr).toBe('');
  return Number(stdout);
}

test('unused buffers hold little memory, and without the limit far more', async () => {
  const withoutLimit = await peakBufferMib('');
  // Compared with the same machine, because threads beside the program free buffers, later on a busy machine.
  expect(await peakBufferMib('collectBuffersEarly();')).toBeLessThan(0.6 * withoutLimit);
});

test('the worker sets the limit before it does anything else', () => {
  const main = readFileSync('encoder-task/main.ts', 'utf8');
  const [first] = main.split('\n').filter((line) => line !== '' && !line.startsWith('import '));
  expect(first).toBe('collectBuffersEarly();');
});
