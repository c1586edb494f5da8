import { expect, test } from 'vitest';
import { createLog } from '../../../encoder-task/runtime/log.ts';

test('a line is one JSON object without signatures and tokens', () => {
  const lines: string[] = [];
  const log = createLog('info', { worker: 'w1' }, (line) => void lines.push(line));
  log.debug('not this');
  log.with({ lease: 'L1' }).warn('the "store" failed', {
    url: 'https://bucket.s3.amazonaws.com/key?X-Amz-Signature=abc&X-Amz-Credential=def',
    header: 'Bearer node.secret',
    error: new TypeError('bad http://host/p?sig=xyz here'),
  });
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0]!)).toMatchObject({
    level: 'warn',
    message: 'the "store" failed',
    worker: 'w1',
    lease: 'L1',
    url: 'https://bucket.s3.amazonaws.com/key?…',
    header: 'Bearer …',
    error: 'TypeError: bad http://host/p?… here',
  });
  expect(lines[0]).not.toMatch(/abc|def|xyz|secret/);
});
