import { expect, test, vi } from 'vitest';

// The client of the dashboard reads the address of the page.
vi.stubGlobal('location', { origin: 'http://127.0.0.1:3000' });
const { resendSince } = await import('../../../../dashboard/webhooks/deliveries/resend-since.ts');

test('failed events are sent again part by part, and the sum is shown as it grows', async () => {
  const responses = [
    { data: { resent: 0 }, meta: { next_cursor: '01A' } },
    { data: { resent: 1000 }, meta: { next_cursor: '01B' } },
    { data: { resent: 7 }, meta: { next_cursor: null } },
  ];
  const bodies: unknown[] = [];
  vi.stubGlobal('fetch', async (request: Request) => {
    bodies.push(await request.json());
    return Response.json(responses[bodies.length - 1], { status: 202 });
  });
  const sums: number[] = [];
  const from = '2026-11-20T10:00:00Z';
  await resendSince('01W', from, (sum) => sums.push(sum));
  expect(bodies).toEqual([{ from }, { from, cursor: '01A' }, { from, cursor: '01B' }]);
  expect(sums).toEqual([1000, 1007]);
});
