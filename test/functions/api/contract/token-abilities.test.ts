import { beforeAll, expect, test, vi } from 'vitest';
import { publishedRoutes } from '../../../../functions/contracts/published-routes.ts';
import {
  abilitiesOf,
  type RouteDeclaration,
  type TokenAbility,
  tokenAbilities,
} from '../../../../functions/contracts/route-declaration.ts';
import { openSession } from '../../../../functions/table/accounts/session-table.ts';
import { createToken } from '../../../../functions/table/accounts/token-table.ts';
import type { RequestOptions } from '../../../fixtures/call-handler.ts';
import { createPerson } from '../../../fixtures/create-person.ts';
import { fillPath, type PathNames, storeOwnedRecords } from '../../../fixtures/records/store-owned-records.ts';
import { callApi, useWholeApi } from '../../../fixtures/use-whole-api.ts';

// What tokens with some abilities only may do, for every operation.
useWholeApi();

type Person = Awaited<ReturnType<typeof createPerson>>;
let admin: Person;
let other: Person;
let records: PathNames;

beforeAll(async () => {
  // The clock is fixed, so that no minute, and no rate limit, ends during a test.
  vi.useFakeTimers({ toFake: ['Date'] });
  [admin, other] = [await createPerson({ isAdmin: true }), await createPerson()];
  records = await storeOwnedRecords(other);
  return () => vi.useRealTimers();
});

const tokenOf = ({ user }: Person, ...abilities: TokenAbility[]): Promise<string> =>
  createToken(user.ulid, { name: abilities.join(), abilities });

const accepted = publishedRoutes.filter(({ access }) => access === 'user' || access === 'admin');
const nameOf = ({ operationId }: RouteDeclaration): string => operationId;

/** An operation on a record that does not exist, with an empty body. */
const call = ({ method, path, body }: RouteDeclaration, sent: RequestOptions) =>
  callApi(`${method} ${fillPath(path, {}, '999999')}`, { ...(body && { body: {} }), ...sent });

test('every operation that accepts tokens names an ability, and no other does', () => {
  expect(publishedRoutes.filter((one) => abilitiesOf(one).length > 0).map(nameOf)).toEqual(accepted.map(nameOf));
});

test.each(tokenAbilities)('a token with %s alone is allowed exactly what names it', async (ability) => {
  const sent = { token: await tokenOf(await createPerson({ isAdmin: true }), ability) };
  for (const declaration of accepted) {
    const { operationId } = declaration;
    const { status, json } = await call(declaration, sent);
    const needed = abilitiesOf(declaration);
    if (ability === '*' || needed.includes(ability)) {
      expect([401, 403], operationId).not.toContain(status);
      continue;
    }
    expect({ status, code: json.code, message: json.message }, operationId).toEqual({
      status: 403,
      code: 'token_ability_missing',
      message: `This needs a token with the ability ${needed.join(' or ')}.`,
    });
  }
});

test('playback:read is for nothing but watching, and the account for unrestricted tokens only', () => {
  const allowed = (ability: TokenAbility) => accepted.filter((one) => abilitiesOf(one).includes(ability)).map(nameOf);
  expect(allowed('playback:read')).toEqual(['videoSources', 'createEmbedToken']);
  expect(allowed('usage:read')).toEqual(['videoAnalytics', 'mostWatchedVideos', 'usage']);
  expect(allowed('*')).toEqual([
    'me',
    'updateProfile',
    'updatePassword',
    'listTokens',
    'createToken',
    'deleteToken',
    'activityLog',
  ]);
  expect(accepted.filter(({ access }) => access === 'admin').map(nameOf)).toEqual(allowed('admin'));
});

test('a session may do everything, and an ability of another operation is refused before its record is looked for', async () => {
  const { secret } = await openSession(admin.user);
  for (const declaration of accepted)
    expect([401, 403], declaration.operationId).not.toContain((await call(declaration, { session: secret })).status);
  const token = await tokenOf(other, 'videos:read', 'playback:read');
  const { path } = accepted.find(({ operationId }) => operationId === 'deleteVideo')!;
  const answers = [fillPath(path, records), fillPath(path, {}, 'x')].map((one) => callApi(`DELETE ${one}`, { token }));
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([403, 403]);
});

test("an administrator's token without admin sees only what is the administrator's own", async () => {
  const path = `/api/videos/${records['/api/videos/{ulid}']}` as const;
  const [own, all] = [await tokenOf(admin, 'videos:read'), await tokenOf(admin, 'videos:read', 'admin')];
  expect(await callApi(`GET ${path}`, { token: own })).toMatchObject({ status: 404 });
  expect(await callApi(`GET ${path}`, { token: all })).toMatchObject({ status: 200 });
  const ofOther = `GET /api/videos?user_id=${other.user.id}` as const;
  expect(await callApi(ofOther, { token: own })).toMatchObject({ status: 403, json: { code: 'forbidden' } });
  expect(await callApi(ofOther, { token: all })).toMatchObject({ status: 200 });
});

test('somebody who is no administrator any more has a token with admin in vain', async () => {
  const person = await createPerson({ isAdmin: true });
  const token = await tokenOf(person, 'admin', 'videos:read');
  const list = () => callApi('GET /api/users', { token });
  expect(await list()).toMatchObject({ status: 200 });
  await callApi(`PUT /api/users/${person.user.id}`, { token: admin.token, body: { is_admin: false } });
  expect(await list()).toMatchObject({ status: 403, json: { code: 'forbidden' } });
  expect(await callApi(`GET /api/videos?user_id=${other.user.id}`, { token })).toMatchObject({ status: 403 });
  expect(await callApi('GET /api/videos', { token })).toMatchObject({ status: 200 });
});

test('the published document has the abilities in the security of each operation', async () => {
  const { json } = await callApi('GET /api/openapi.json');
  expect(json.paths['/api/videos/{ulid}/sources'].get.security).toEqual([
    { bearerAuth: ['playback:read'] },
    { bearerAuth: ['videos:read'] },
    { sessionCookie: [] },
  ]);
  expect(json.paths['/api/videos/{ulid}/sources'].get.description).toMatch(
    / A token needs the ability playback:read or videos:read\.$/,
  );
  expect(json.paths['/api/objstore/multipart'].post.security).toEqual([
    { bearerAuth: ['uploads:write'] },
    { sessionCookie: [] },
    { uploadToken: [] },
  ]);
  expect(json.paths['/logout'].post.security).toEqual([{ sessionCookie: [] }]);
  expect(json.paths['/health'].get.security).toEqual([]);
});
