import { expect, test } from 'vitest';
import { kindsOf } from '../../../../dashboard/administration/work/queue-properties.ts';

test('the table has a column for each kind that is queued, in the order of the work', () => {
  const kinds = [
    { kind: 'package', jobs: 1 },
    { kind: 'encode-audio', jobs: 0 },
    { kind: 'probe', jobs: 3 },
  ] as const;
  expect(kindsOf({ kinds: [...kinds] })).toEqual(['probe', 'package']);
});
