import { afterEach, beforeEach, expect, test } from 'vitest';
import { askingForPassword, passwordQuestion } from '../../../dashboard/api/ask-password.ts';
import { type Me, session } from '../../../dashboard/api/current-user.ts';

const origin = 'https://video.example.com';
const newToken = () => new Request(`${origin}/api/tokens`, { method: 'POST', body: '{"name":"ci"}' });
const list = () => new Request(`${origin}/api/videos`);

/** A service that refuses requests until `state.allowed`, as it refuses sessions that have ended, or are old. */
function createService(status: 401 | 403, code: string) {
  const state = { allowed: false, seen: [] as string[] };
  const fetch = askingForPassword(async (request) => {
    state.seen.push(`${request.method} ${await request.text()}`.trim());
    return state.allowed ? new Response('done') : Response.json({ message: 'M', code }, { status });
  });
  return { state, fetch };
}

const oldSession = () => createService(403, 'password_confirmation_required');
const endedSession = () => createService(401, 'unauthenticated');

/** The reason of the question, as soon as there is one. */
const question = () => expect.poll(() => passwordQuestion.value?.reason);

beforeEach(() => {
  session.value = { email: 'ada@example.com' } as Me;
});
afterEach(() => {
  passwordQuestion.value?.settle(false);
});

test('a request that needs a confirmation waits for the password, and is sent again with its body', async () => {
  const { state, fetch } = oldSession();
  const response = fetch(newToken());
  await question().toBe('confirmation');
  state.allowed = true;
  passwordQuestion.value!.settle(true);
  expect(await (await response).text()).toBe('done');
  expect(state.seen).toEqual(['POST {"name":"ci"}', 'POST {"name":"ci"}']);
  expect(passwordQuestion.value).toBeUndefined();
});

test('without the password it fails as it did, and the page stays', async () => {
  const { state, fetch } = oldSession();
  const response = fetch(newToken());
  await question().toBe('confirmation');
  passwordQuestion.value!.settle(false);
  expect(await (await response).json()).toMatchObject({ code: 'password_confirmation_required' });
  expect([state.seen.length, session.value?.email]).toEqual([1, 'ada@example.com']);
});

test('all requests of an ended session wait for one sign-in, also those that are refused after it', async () => {
  const { state, fetch } = endedSession();
  const responses = [fetch(list()), fetch(newToken())];
  await question().toBe('sessionEnded');
  await expect.poll(() => state.seen.length).toBe(2);
  state.allowed = true;
  passwordQuestion.value!.settle(true);
  expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([200, 200]);

  const late = Promise.withResolvers<void>();
  const before = createService(401, 'unauthenticated');
  let calls = 0;
  const slow = askingForPassword(async (request) => {
    if (++calls > 1) return new Response('done');
    await late.promise;
    return new Response(null, { status: 401, headers: { 'x-url': request.url } });
  })(list());
  const other = before.fetch(list());
  await question().toBe('sessionEnded');
  before.state.allowed = true;
  passwordQuestion.value!.settle(true);
  expect((await other).status).toBe(200);
  late.resolve();
  expect((await slow).status).toBe(200);
  expect(passwordQuestion.value).toBeUndefined();
});

test('a session that ends while it is confirmed needs a sign-in', async () => {
  const waiting = oldSession().fetch(newToken());
  await question().toBe('confirmation');
  const { fetch } = endedSession();
  expect((await fetch(new Request(`${origin}/api/session/confirm`, { method: 'POST' }))).status).toBe(401);
  expect(passwordQuestion.value?.reason).toBe('sessionEnded');
  passwordQuestion.value!.settle(false);
  expect((await waiting).status).toBe(403);
});

test('nobody is asked before a sign-in, by a sign-out, and by another refusal', async () => {
  expect((await createService(403, 'forbidden').fetch(newToken())).status).toBe(403);
  const { fetch } = endedSession();
  expect((await fetch(new Request(`${origin}/logout`, { method: 'POST' }))).status).toBe(401);
  expect(session.value).toBeNull();
  expect((await fetch(list())).status).toBe(401);
  expect(passwordQuestion.value).toBeUndefined();
});
