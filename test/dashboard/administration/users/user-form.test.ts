import { describe, expect, test } from 'vitest';
import {
  amountOf,
  changesOf,
  creationOf,
  formOf,
  invalidAmounts,
  type User,
} from '../../../../dashboard/administration/users/user-form.ts';

const user: User = {
  id: 3,
  ulid: '01JD3Z0000000000000000000A',
  name: 'Bo',
  email: 'bo@example.com',
  is_admin: false,
  created_at: '2026-11-20T10:00:00.000000Z',
  updated_at: '2026-11-20T10:00:00.000000Z',
  quota: { upload_bytes_per_month: 1.5e9, encoding_cpu_seconds_per_month: 1800 },
} as User;

test('a quota is shown in the largest unit in which it is at least one', () => {
  expect(formOf(user)).toMatchObject({ bytes: '1.5', byteUnit: 'GB', cpu: '30', cpuUnit: 'minutes' });
  const quota = { upload_bytes_per_month: 2e12, encoding_cpu_seconds_per_month: null };
  expect(formOf({ ...user, quota })).toMatchObject({ bytes: '2', byteUnit: 'TB', cpu: '', cpuUnit: 'hours' });
  const none = { upload_bytes_per_month: 0, encoding_cpu_seconds_per_month: 0 };
  expect(formOf({ ...user, quota: none })).toMatchObject({ bytes: '0', cpu: '0' });
});

test('a form that nobody changed changes nothing, whatever the quota', () => {
  for (const quota of [null, user.quota, { upload_bytes_per_month: 123_456_789, encoding_cpu_seconds_per_month: 61 }]) {
    const form = formOf({ ...user, quota });
    expect(changesOf(form, form)).toEqual({});
  }
});

test('only changes are sent; the quota is sent as a whole, and null when nothing limits', () => {
  const form = formOf(user);
  expect(changesOf(form, { ...form, name: 'Bo B.' })).toEqual({ name: 'Bo B.' });
  expect(changesOf(form, { ...form, isAdmin: true })).toEqual({ is_admin: true });
  expect(changesOf(form, { ...form, bytes: '2,5' })).toEqual({
    quota: { upload_bytes_per_month: 2.5e9, encoding_cpu_seconds_per_month: 1800 },
  });
  expect(changesOf(form, { ...form, bytes: '', cpu: ' ' })).toEqual({ quota: null });
});

test('a new user has the fields of the form', () => {
  const form = { ...formOf(undefined), name: 'Cy', email: 'cy@example.com', password: 'long enough', cpu: '2' };
  expect(creationOf(form)).toEqual({
    name: 'Cy',
    email: 'cy@example.com',
    password: 'long enough',
    is_admin: false,
    quota: { upload_bytes_per_month: null, encoding_cpu_seconds_per_month: 7200 },
  });
});

describe('an amount', () => {
  test.each([
    ['', null],
    ['  ', null],
    ['0', 0],
    ['250', 250_000],
    [' 1.5 ', 1500],
    ['1,5', 1500],
    ['0.0004', 0],
    ['1e3', Number.NaN],
    ['-1', Number.NaN],
    ['1.000,5', Number.NaN],
    ['ten', Number.NaN],
  ])('"%s" is %s', (text, expected) => expect(amountOf(text, 1000)).toBe(expected));

  test('that cannot be read is found before it is sent', () => {
    expect(invalidAmounts({ ...formOf(user), bytes: 'all' })).toEqual({ bytes: true, cpu: false });
  });
});
