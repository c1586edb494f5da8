import { expect, test } from 'vitest';
import { createRenewals } from '../../../dashboard/player/renewals.ts';

function createRenewalsAt() {
  const clock = { milliseconds: 0 };
  return { clock, renewals: createRenewals(() => clock.milliseconds) };
}

test('refusals of one URL ask for new URLs once', () => {
  const { renewals } = createRenewalsAt();
  expect(['/old', '/old', '/old'].map(renewals.afterRefusal)).toEqual(['renew', 'wait', 'wait']);
});

test('new URLs that are refused at once are not renewed again', () => {
  const { clock, renewals } = createRenewalsAt();
  renewals.afterRefusal('/old');
  clock.milliseconds = 59_999;
  expect(renewals.afterRefusal('/new')).toBe('give up');
  expect(renewals.afterRefusal('/new')).toBe('give up');
});

test('URLs that expire after they played are renewed each time', () => {
  const { clock, renewals } = createRenewalsAt();
  const results = ['/first', '/second', '/third'].map((url) => {
    clock.milliseconds += 21_600_000;
    return renewals.afterRefusal(url);
  });
  expect(results).toEqual(['renew', 'renew', 'renew']);
});
