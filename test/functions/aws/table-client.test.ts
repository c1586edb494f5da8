import { expect, test } from 'vitest';
import { documents } from '../../../functions/aws/table-client.ts';

test('calls to the table build neither a log entry nor a User-Agent', () => {
  const names = documents.middlewareStack.identify().join('\n');
  expect(names).toContain('retryMiddleware');
  expect(names).not.toMatch(/logger|userAgent/i);
});
