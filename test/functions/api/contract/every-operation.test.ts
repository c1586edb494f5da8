import { mockClient } from 'aws-sdk-client-mock';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { documents } from '../../../../functions/aws/table-client.ts';
import { newUlid } from '../../../../functions/common/ids.ts';
import { log } from '../../../../functions/common/log.ts';
import { randomBase62, sha256 } from '../../../../functions/common/secret.ts';
import { publishedRoutes } from '../../../../functions/contracts/published-routes.ts';
import { isChange, type RouteDeclaration, rateLimits } from '../../../../functions/contracts/route-declaration.ts';
import { openSession } from '../../../../functions/table/accounts/session-table.ts';
import { hideUser } from '../../../../functions/table/accounts/user-table.ts';
import { write } from '../../../../functions/table/items/items.ts';
import { keys } from '../../../../functions/table/items/keys.ts';
import { nowSeconds } from '../../../../shared/clock.ts';
import { type RequestOptions, type Response, textWithoutId } from '../../../fixtures/call-handler.ts';
import { createPerson } from '../../../fixtures/create-person.ts';
import { fillPath, type PathNames, storeOwnedRecords } from '../../../fixtures/records/store-owned-records.ts';
import { callApi, useWholeApi } from '../../../fixtures/use-whole-api.ts';

/** Rules for every operation of the published document. */
useWholeApi();

type Person = Awaited<ReturnType<typeof createPerson>>;
let owner: Person;
let stranger: Person;
let admin: Person;
let records: PathNames;
let session: string;

beforeAll(async () => {
  // The clock is fixed during a test, so that no minute, and no rate limit, ends during it.
  vi.useFakeTimers({ toFake: ['Date'] });
  [owner, stranger, admin] = [await createPerson(), await createPerson(), await createPerson({ isAdmin: true })];
  records = await storeOwnedRecords(owner);
  session = (await openSession(admin.user)).secret;
  return () => vi.useRealTimers();
});

// It advances between the tests, since all together exceed the limit of a minute.
beforeEach(() => void vi.setSystemTime(Date.now() + 10_000));

const table = (wanted: (declaration: RouteDeclaration) => boolean) =>
  publishedRoutes
    .filter(wanted)
    .map((declaration) => [`${declaration.method} ${declaration.path}`, declaration] as const);

const isSigned = ({ access }: RouteDeclaration) => access !== 'public';
const hasBody = ({ body }: RouteDeclaration) => body !== undefined;
const isAboutRecord = ({ path }: RouteDeclaration) => path.includes('{');

let calls = 0;

/** Sends a request with a valid credential and, if the operation has a body, an empty one. */
function send(declaration: RouteDeclaration, path: `/${string}`, sent: RequestOptions = {}): Promise<Response> {
  const credential =
    declaration.access === 'public' ? {} : declaration.access === 'session' ? { session } : { token: admin.token };
  const body = hasBody(declaration) && sent.text === undefined ? { body: {} } : {};
  return callApi(`${declaration.method} ${path}`, {
    ...('token' in sent || 'session' in sent ? {} : credential),
    ...body,
    // One IP address may register five times a minute.
    ip: `2001:db8:0:${(++calls).toString(16)}::1`,
    ...sent,
  });
}

const somewhere = (declaration: RouteDeclaration) => fillPath(declaration.path, {}, '999999');

describe('without a valid credential', () => {
  const forms: [string, () => RequestOptions | Promise<RequestOptions>][] = [
    ['none', () => ({})],
    ...['', 'Bearer', 'Bearer ', 'Bearer 1|', 'Bearer |x', 'Bearer 1|x', 'Bearer null', 'Basic YTpi', 'Digest x'].map(
      (authorization): [string, () => RequestOptions] => [`"${authorization}"`, () => ({ headers: { authorization } })],
    ),
    ['10 kB', () => ({ token: `1|${'x'.repeat(10_240)}` })],
    ['control characters', () => ({ token: '1|\u0000\u001f' })],
    ["another stage's secret", () => ({ token: `${owner.token.split('|')[0]}|${randomBase62(40)}` })],
    ['a right token and more', () => ({ token: `${admin.token} x` })],
    ['two right tokens', () => ({ headers: { authorization: `Bearer ${admin.token},Bearer ${admin.token}` } })],
    ['a revoked token', revoked],
    ["a deleted user's token", async () => ({ token: (await deleted()).token })],
    ["a deleted user's session", async () => ({ session: (await openSession((await deleted()).user)).secret })],
    ['an unknown session', () => ({ session: randomBase62(40) })],
    ['a session that is over', outlived],
    ['a wrong token beside a right session', () => ({ token: '1|x', session })],
  ];

  async function revoked(): Promise<RequestOptions> {
    const { token } = await createPerson({ isAdmin: true });
    expect(await callApi(`DELETE /api/tokens/${token.split('|')[0]}`, { token })).toMatchObject({ status: 204 });
    return { token };
  }

  async function deleted(): Promise<Person> {
    const gone = await createPerson();
    await hideUser(gone.user, admin.user);
    return gone;
  }

  async function outlived(): Promise<RequestOptions> {
    const { secret } = await openSession(admin.user);
    await write({ update: keys.session(sha256(secret)), set: { expiresAt: nowSeconds() } });
    return { session: secret };
  }

  test.each(forms)('%s is 401 everywhere', async (_, make) => {
    const sent = { session: undefined, ...(await make()) } as RequestOptions;
    for (const [name, declaration] of table(isSigned)) {
      const answer = await send(declaration, somewhere(declaration), sent);
      expect(answer, name).toMatchObject({
        status: 401,
        json: { message: 'Unauthenticated.' },
        headers: { 'content-type': 'application/json', 'www-authenticate': 'Bearer' },
      });
      expect(answer.headers).not.toHaveProperty('location');
    }
  });
});

describe('an operation for administrators', () => {
  test.each(table(({ access }) => access === 'admin'))(
    'others get 403 from %s, whatever they ask for',
    async (_, declaration) => {
      for (const path of [
        somewhere(declaration),
        fillPath(declaration.path, {}, stranger.user.ulid),
        fillPath(declaration.path, {}, 'x'),
      ]) {
        expect(await send(declaration, path, { token: stranger.token })).toMatchObject({
          status: 403,
          json: { message: 'This action is unauthorized.' },
        });
        expect(await send(declaration, path, { token: stranger.token, text: '{' })).toMatchObject({ status: 403 });
        for (const headers of [{ 'x-http-method-override': 'OPTIONS' }, { 'x-forwarded-for': '127.0.0.1' }]) {
          expect(await send(declaration, path, { token: stranger.token, headers })).toMatchObject({ status: 403 });
        }
      }
      if (declaration.method === 'GET') {
        expect(await callApi(`HEAD ${somewhere(declaration)}`, { token: stranger.token })).toMatchObject({
          status: 403,
          text: '',
        });
      }
    },
  );

  test.each(table(({ access }) => access === 'admin'))('%s is 404 with another case', async (_, declaration) => {
    const path = somewhere(declaration).toUpperCase() as `/${string}`;
    expect(await send(declaration, path, { token: stranger.token })).toMatchObject({ status: 404 });
  });
});

/** Parts of paths that are no ID of a record. DynamoDB refuses keys of more than 2,048 and 1,024 bytes. */
const oddParts = [
  ...['x', '0', '-1', '1e3', '9'.repeat(40), "' OR 1=1--", '__proto__', '%', 'ü\u0000', '..%2F1'].map(
    encodeURIComponent,
  ),
  'a'.repeat(1100),
  'a'.repeat(5000),
  encodeURIComponent('ü'.repeat(1100)),
  '1'.repeat(1100),
  '.',
  '..',
  '...',
  '%00',
  '%ED%A0%80',
  '%C0%80',
  '%zz',
  '%',
  '%252F',
  '%2e%2e',
];

describe('the record of', () => {
  test.each(table(isAboutRecord))('%s is 404 if it does not exist, for every ID', async (_, declaration) => {
    const texts = new Set<string | undefined>();
    for (const part of ['999999', newUlid(), ...oddParts]) {
      const path = declaration.path.replace(/\{partNumber\}/, '1').replace(/\{\w+\}/g, () => part) as `/${string}`;
      // One user may ask for fewer of these in a minute than there are parts.
      const sent = declaration.rate === 'targetTests' ? { token: (await createPerson()).token } : {};
      const answer = await send(declaration, path, sent);
      expect(answer, path).toMatchObject({ status: 404, json: { message: 'Not found.' } });
      texts.add(textWithoutId(answer));
    }
    expect(texts.size).toBe(1);
  });

  const isAboutPart = ({ path }: RouteDeclaration) => path.split('{').length > 2;

  test.each(table(isAboutPart))(
    '%s is found, and a part of it that cannot exist is 404 or 422',
    async (_, declaration) => {
      const wholes = Object.entries(records).filter(([path]) => path.split('{').length === 2);
      for (const part of oddParts) {
        const path = fillPath(declaration.path, Object.fromEntries(wholes), part);
        const { status } = await send(declaration, path, {
          token: owner.token,
          ...(declaration.fileTypes && { text: 'WEBVTT', headers: { 'content-type': 'text/vtt' } }),
        });
        expect([404, 422], path).toContain(status);
      }
    },
  );

  test.each(table(({ method, path }) => method === 'GET' && path.includes('{ulid}')))(
    '%s is found by its ULID in lower case',
    async (_, declaration) => {
      const path = fillPath(declaration.path, records);
      const named = await send(declaration, path, { token: owner.token });
      const lower = await send(declaration, path.toLowerCase() as `/${string}`, { token: owner.token });
      expect([lower.status, textWithoutId(lower)]).toEqual([named.status, textWithoutId(named)]);
    },
  );

  const owned = table(
    (declaration) =>
      declaration.access === 'user' && !declaration.path.includes('{slug}') && isAboutRecord(declaration),
  );
  test.each(owned)('%s is the same 404 if it belongs to another user, and is not changed', async (_, declaration) => {
    const path = fillPath(declaration.path, records);
    expect(path, 'the fixture knows a record of this kind').not.toBe(fillPath(declaration.path, {}, 'x'));
    const body =
      declaration.bodyExample === undefined || declaration.fileTypes ? {} : { body: declaration.bodyExample };
    const unknown = await send(declaration, fillPath(declaration.path, {}, newUlid()), {
      token: stranger.token,
      ...body,
    });
    const foreign = await send(declaration, path, { token: stranger.token, ...body });
    expect([foreign.status, textWithoutId(foreign)]).toEqual([404, textWithoutId(unknown)]);
    const mine = await callApi(`GET /api/videos/${records['/api/videos/{ulid}']}`, { token: owner.token });
    expect(mine.json.data).toMatchObject({ name: 'holiday.mp4', status: 'completed', outputs: [{}, {}] });
  });

  test("another user's token, template and upload were not changed", async () => {
    for (const path of ['/api/me', '/api/templates/{id}', '/api/objstore/multipart/{uploadId}']) {
      expect(await callApi(`GET ${fillPath(path, records)}`, { token: owner.token })).toMatchObject({ status: 200 });
    }
  });
});

describe('a body for', () => {
  test.each(table(hasBody))('%s must be valid JSON and not too large', async (_, declaration) => {
    const path = somewhere(declaration);
    const headers = (type: string) => ({ headers: { 'content-type': type } });
    expect(
      await send(declaration, path, { text: 'a=1', ...headers('application/x-www-form-urlencoded') }),
    ).toMatchObject({
      status: 415,
    });
    expect(await send(declaration, path, { text: '{}', ...headers('text/plain') })).toMatchObject({ status: 415 });
    for (const text of [
      '{',
      '{"a":1,}',
      'undefined',
      '\u0000',
      '{"__proto__":{"is_admin":true}}',
      '['.repeat(50_000),
    ]) {
      expect(await send(declaration, path, { text }), text.slice(0, 40)).toMatchObject({ status: 400 });
    }
    const text = JSON.stringify({ name: 'x'.repeat(declaration.bodyLimitBytes ?? 2 ** 20) });
    expect(await send(declaration, path, { text })).toMatchObject({ status: 413 });
  });

  test.each(table(({ body, fileTypes, path }) => (body ?? fileTypes) === undefined && !path.includes('{')))(
    '%s is not looked at, since it takes none',
    async (_, declaration) => {
      const status = (
        await send(declaration, somewhere(declaration), declaration.access === 'session' ? { session: '' } : {})
      ).status;
      const text = '{"__proto__":1';
      expect(
        await send(declaration, somewhere(declaration), {
          text,
          ...(declaration.access === 'session' && { session: '' }),
        }),
      ).toMatchObject({ status });
    },
  );
});

describe('the order of checks', () => {
  const crossSite = { 'sec-fetch-site': 'cross-site' };

  test.each(table((declaration) => isSigned(declaration) && isChange(declaration)))(
    '%s: 401, 419, then 403',
    async (_, declaration) => {
      const path = somewhere(declaration);
      expect(await send(declaration, path, { session: randomBase62(40), headers: crossSite })).toMatchObject({
        status: 401,
      });
      const { secret } = await openSession(stranger.user);
      expect(await send(declaration, path, { session: secret, headers: crossSite, text: '{' })).toMatchObject({
        status: 419,
      });
      if (declaration.access === 'session') return;
      const afterBody = hasBody(declaration)
        ? 400
        : declaration.fileTypes
          ? 415
          : isAboutRecord(declaration)
            ? 404
            : undefined;
      const after = declaration.access === 'admin' ? 403 : afterBody;
      const answer = await send(declaration, path, {
        token: stranger.token,
        headers: { ...crossSite, 'content-type': 'application/json' },
        text: '{',
      });
      if (after !== undefined) expect(answer).toMatchObject({ status: after });
    },
  );

  test.each(table((declaration) => hasBody(declaration) && isAboutRecord(declaration)))(
    '%s: 413, 415, 400, 404, then 422',
    async (_, declaration) => {
      const large = `{${' '.repeat(declaration.bodyLimitBytes ?? 2 ** 20)}`;
      const headers = { 'content-type': 'text/plain' };
      expect(await send(declaration, somewhere(declaration), { text: large, headers })).toMatchObject({ status: 413 });
      expect(await send(declaration, somewhere(declaration), { text: '{', headers })).toMatchObject({ status: 415 });
      expect(await send(declaration, somewhere(declaration), { text: '{' })).toMatchObject({ status: 400 });
      expect(await send(declaration, somewhere(declaration), { body: { name: 5 } })).toMatchObject({ status: 404 });
    },
  );

  test('429 comes after 403 and before the body is parsed, with Retry-After', async () => {
    const [busy, boss] = [await createPerson(), await createPerson({ isAdmin: true })];
    const ip = '198.51.100.77';
    for (const { user, token } of [busy, boss]) {
      await useUp('default', user.ulid, 'GET /api/me', { token });
      await useUp('objstore', user.ulid, 'GET /api/objstore/multipart/x', { token });
      await useUp('targetTests', user.ulid, 'POST /api/webhooks/x/test', { token });
    }
    await useUp('default', ip, 'GET /api/openapi.json', { ip });
    await useUp('register', ip, 'POST /register', { ip, text: '{' });
    const limited = table(
      ({ access, operationId, rate }) => access !== 'session' && operationId !== 'login' && rate !== 'unlimited',
    );
    for (const [name, declaration] of limited) {
      const credential =
        declaration.access === 'public' ? { ip } : { token: (declaration.access === 'admin' ? boss : busy).token };
      const answer = await send(declaration, somewhere(declaration), { ...credential, text: '{' });
      expect(answer, name).toMatchObject({
        status: 429,
        json: { message: 'Too Many Attempts.' },
        headers: { 'retry-after': expect.stringMatching(/^[1-9]\d?$/), 'x-ratelimit-remaining': '0' },
      });
      if (declaration.access === 'admin') {
        expect(await send(declaration, somewhere(declaration), { token: busy.token }), name).toMatchObject({
          status: 403,
        });
      }
    }
    expect(await callApi('GET /api/me', { token: stranger.token })).toMatchObject({ status: 200 });
  });
});

/** Uses up the rate limit of a user or an address for this minute. */
async function useUp(
  kind: 'default' | 'objstore' | 'targetTests' | 'register',
  who: string,
  request: `${string} /${string}`,
  sent: RequestOptions,
) {
  const window = Math.floor(nowSeconds() / 60);
  await write({ update: keys.rate(`${kind}#${who}`, window), set: { kind: 'rate' }, add: { value: rateLimits[kind] } });
  // A process synchronizes with the shared count after each 30th of the limit.
  for (let asked = 0; asked < Math.max(1, rateLimits[kind] / 30); asked++) await callApi(request, sent);
}

test('an unavailable table is 503 with Retry-After everywhere', async () => {
  vi.spyOn(log, 'warn').mockImplementation(() => {});
  const stub = mockClient(documents);
  stub.rejects(Object.assign(new Error('slow down'), { name: 'ThrottlingException', $fault: 'client' }));
  try {
    for (const [name, declaration] of table((one) => isSigned(one) || one.operationId === 'health')) {
      expect(await send(declaration, somewhere(declaration)), name).toMatchObject({
        status: 503,
        json: { message: 'Service unavailable.' },
        headers: { 'retry-after': '5' },
      });
    }
  } finally {
    stub.restore();
    vi.restoreAllMocks();
  }
});

describe('a path', () => {
  const paths = [...new Set(publishedRoutes.map(({ path }) => path))];
  const methodsOf = (path: string) =>
    publishedRoutes
      .filter((declaration) => declaration.path === path)
      .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));

  test.each(paths)(
    '%s responds to unsupported methods with 405 and the supported ones, without authentication',
    async (path) => {
      const allowed = methodsOf(path);
      for (const method of ['PATCH', 'TRACE', 'GET', 'POST', 'PUT', 'DELETE', 'PROPFIND', 'get'].filter(
        (one) => !allowed.includes(one),
      )) {
        const answer = await callApi(`${method} ${fillPath(path, {})}`);
        expect(answer, method).toMatchObject({ status: 405, headers: { 'content-type': 'application/json' } });
        expect(answer.headers.allow?.split(', ').toSorted(), method).toEqual(allowed.toSorted());
        expect(Object.keys(answer.json)).toEqual(['message', 'code', 'request_id']);
      }
    },
  );

  test.each(paths)('%s responds to a preflight; unknown paths below it do not', async (path) => {
    expect(await callApi(`OPTIONS ${fillPath(path, {})}`)).toMatchObject({ status: 204, text: undefined });
    for (const method of ['GET', 'POST', 'OPTIONS'] as const) {
      const answer = await callApi(`${method} ${fillPath(path, {})}/no/such/path`, { token: admin.token });
      expect(answer).toMatchObject({ status: 404, json: { message: 'Not found.' } });
    }
  });
});

test.each(table(({ method }) => method === 'GET'))(
  'HEAD of %s has the headers of the answer and no body',
  async (_, declaration) => {
    const path = fillPath(declaration.path, records);
    const got = await callApi(`GET ${path}`, { token: owner.token });
    const head = await callApi(`HEAD ${path}`, { token: owner.token });
    expect(head).toMatchObject({ status: got.status, text: '' });
    expect(Object.keys(head.headers).toSorted()).toEqual(Object.keys(got.headers).toSorted());
  },
);
