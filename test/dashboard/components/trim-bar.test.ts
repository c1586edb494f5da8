import { expect, test } from 'vitest';
import { clipOf } from '../../../dashboard/components/trim-bar.tsx';

test.each([
  [{ start: '', end: '' }, {}],
  [{ start: ' ', end: '4' }, { end_seconds: 4 }],
  [{ start: '0', end: '' }, { start_seconds: 0 }],
  [
    { start: '1.5', end: '20.25' },
    { start_seconds: 1.5, end_seconds: 20.25 },
  ],
  [
    { start: '1,5', end: '1:20' },
    { start_seconds: 1.5, end_seconds: '1:20' },
  ],
])('the part %j is %j in a request', (part, clip) => {
  expect(clipOf(part)).toEqual(clip);
});
