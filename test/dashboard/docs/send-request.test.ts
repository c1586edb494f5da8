import { expect, test, vi } from 'vitest';
import { sendRequest } from '../../../dashboard/docs/send-request.ts';

const origin = 'https://video.example.com';
const request = { id: 7, url: '/api/me', method: 'GET', headers: { authorization: 'Bearer 1|x' }, body: undefined };

test('a request of the viewer is sent with its token and without cookies', async () => {
  const send = vi.fn(async (..._: unknown[]) =>
    Response.json({ name: 'Ada' }, { status: 201, headers: { 'x-a': '1' } }),
  );
  const response = await sendRequest(request, origin, send as never);
  expect(send).toHaveBeenCalledExactlyOnceWith(
    `${origin}/api/me`,
    expect.objectContaining({ method: 'GET', headers: { authorization: 'Bearer 1|x' }, credentials: 'omit' }),
  );
  expect(response).toMatchObject({ id: 7, status: 201, headers: expect.arrayContaining([['x-a', '1']]) });
  const { body } = response as { body: ArrayBuffer };
  expect(JSON.parse(Buffer.from(body).toString())).toEqual({ name: 'Ada' });
});

test.each(['https://evil.example/', '//evil.example/api/me', 'javascript:alert(1)', 'data:,x'])(
  'a request to %s is not sent',
  async (url) => {
    const send = vi.fn();
    expect(await sendRequest({ ...request, url }, origin, send)).toEqual({ id: 7, error: expect.any(String) });
    expect(send).not.toHaveBeenCalled();
  },
);

test('an empty response has no body, and a failed request has its reason', async () => {
  const empty = async () => new Response(null, { status: 204 });
  expect(await sendRequest(request, origin, empty as never)).toMatchObject({ status: 204, body: null });
  const fail = async () => Promise.reject(new TypeError('Failed to fetch'));
  expect(await sendRequest(request, origin, fail as never)).toEqual({ id: 7, error: 'Failed to fetch' });
});
