import { afterEach, expect, test, vi } from 'vitest';
import {
  cursorsOf,
  type Delivery,
  deliveriesOf,
  deliveryQuery,
  deliveryStatuses,
  instantOf,
  isFiltered,
  localInputOf,
  noFilters,
  perPage,
  pollSecondsOf,
  testEvent,
} from '../../../../dashboard/webhooks/deliveries/delivery-query.ts';
import { testEventType } from '../../../../functions/contracts/event-types.ts';
import { deliveryStatuses as storedStatuses } from '../../../../functions/contracts/statuses.ts';

afterEach(() => vi.unstubAllEnvs());

const delivery = (ulid: string, status: Delivery['status'] = 'delivered') => ({ ulid, status }) as Delivery;

test('the filters offer all statuses, and the event of tests', () => {
  expect(deliveryStatuses).toEqual(storedStatuses);
  expect(testEvent).toBe(testEventType);
});

test('an empty filter is none', () => {
  expect(isFiltered(noFilters)).toBe(false);
  expect(deliveryQuery(noFilters, undefined)).toEqual({ per_page: perPage });
  expect(deliveryQuery({ status: 'failed', event: '' }, 'C')).toEqual({
    per_page: perPage,
    status: 'failed',
    cursor: 'C',
  });
});

test('a part begins where the one before ends now, and there is none after the last', () => {
  const first = { deliveries: [delivery('4'), delivery('3')], next: '3' };
  const last = { deliveries: [delivery('2')], next: null };
  expect(cursorsOf([], 1)).toEqual([undefined]);
  expect(cursorsOf([first], 2)).toEqual([undefined, '3']);
  expect(cursorsOf([{ ...first, next: '4' }, last], 2)).toEqual([undefined, '4']);
  expect(cursorsOf([first, last], 3)).toEqual([undefined, '3']);
});

test('a delivery that has moved from one part to the next is shown once', () => {
  const parts = [
    { deliveries: [delivery('5'), delivery('4')], next: '4' },
    { deliveries: [delivery('4'), delivery('3')], next: null },
  ];
  expect(deliveriesOf(parts).map(({ ulid }) => ulid)).toEqual(['5', '4', '3']);
});

test('deliveries that wait are loaded often', () => {
  expect(pollSecondsOf([delivery('1', 'pending')], false)).toBe(2);
  expect(pollSecondsOf([delivery('1')], true)).toBe(5);
  expect(pollSecondsOf([delivery('1', 'exhausted')], false)).toBe(60);
});

test('a local time becomes an instant', () => {
  vi.stubEnv('TZ', 'Europe/Berlin');
  const milliseconds = Date.parse('2026-11-20T10:30:00Z');
  expect(localInputOf(milliseconds)).toBe('2026-11-20T11:30');
  expect(instantOf('2026-11-20T11:30')).toBe('2026-11-20T10:30:00.000Z');
  expect(instantOf('')).toBeUndefined();
});
