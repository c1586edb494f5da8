import { strict as assert } from 'node:assert';
import { beforeAll, describe, expect, test } from 'vitest';
import { publishedRoutes } from '../../../../functions/contracts/published-routes.ts';
import { isChange } from '../../../../functions/contracts/route-declaration.ts';
import { listActivity } from '../../../../functions/table/accounts/activity-table.ts';
import { addUser, findUserByEmail } from '../../../../functions/table/accounts/user-table.ts';
import { write } from '../../../../functions/table/items/items.ts';
import { keys } from '../../../../functions/table/items/keys.ts';
import type { User } from '../../../../functions/table/records.ts';
import { readSessionSecret } from '../../../fixtures/call-handler.ts';
import {
  createResponseCheck,
  type Document,
  listOperations,
  type Operation,
  type ResponseCheck,
  readDocument,
} from '../../../fixtures/read-published-document.ts';
import {
  fillPath,
  type PathNames,
  storeExampleTemplate,
  storeOwnedRecords,
} from '../../../fixtures/records/store-owned-records.ts';
import { storeProxy } from '../../../fixtures/records/store-video.ts';
import { callApi, useWholeApi } from '../../../fixtures/use-whole-api.ts';

/** Sends each example of the published document and compares each response with its schema. */
useWholeApi();

let document: Document;
let check: ResponseCheck;
beforeAll(async () => {
  document = await readDocument();
  check = createResponseCheck(document);
});

/** Operations whose examples need more than API calls: files or pages of an encoded video, servers, real keys. */
const needsMore = [
  '/api/streams',
  '/api/nodes',
  '/api/ssh-keys',
  '/api/images',
  '/api/ingests/batch',
  '/api/videos/{ulid}/poster',
  '/api/videos/{ulid}/captions/',
  '/api/videos/{ulid}/deliveries',
  '/oembed',
];

/** The request with the example of each parameter that has one. */
function queryOf({ parameters = [] }: Operation): string {
  const asked = parameters.filter((one) => one.in === 'query' && one.schema.examples !== undefined);
  const query = new URLSearchParams(
    asked.map(({ name, schema }): [string, string] => [name, String(schema.examples?.[0])]),
  );
  return asked.length === 0 ? '' : `?${query}`;
}

const exampleOf = ({ requestBody }: Operation): unknown => requestBody?.content['application/json']?.example;

test('every operation with a body has an example that its schema accepts', () => {
  for (const { operation } of listOperations(document)) {
    const { schema } = operation.requestBody?.content['application/json'] ?? {};
    if (!schema) continue;
    const example = exampleOf(operation);
    expect(example, operation.operationId).toBeDefined();
    const asAnswer = {
      operationId: operation.operationId,
      responses: { 200: { content: { 'application/json': { schema } } } },
    };
    expect(() => check(asAnswer, 200, example)).not.toThrow();
  }
});

test('every error response has an example that its schema accepts', () => {
  for (const { operation } of listOperations(document)) {
    for (const [status, { content = {} }] of Object.entries(operation.responses)) {
      if (Number(status) < 400) continue;
      const example = content['application/json']?.example;
      expect(example, `${operation.operationId} ${status}`).toBeDefined();
      check(operation, Number(status), example);
    }
  }
});

test('every schema accepts its examples', () => {
  const named = Object.entries(document.components.schemas).filter(([, schema]) => schema.examples !== undefined);
  expect(named.map(([name]) => name)).toEqual(expect.arrayContaining(['Sources', 'StreamMeta']));
  for (const [name, schema] of named) {
    const asAnswer = { operationId: name, responses: { 200: { content: { 'application/json': { schema } } } } };
    for (const example of schema.examples ?? []) expect(() => check(asAnswer, 200, example)).not.toThrow();
  }
});

describe('every example is sent, and the response conforms to the document', () => {
  let user: User;
  let token: string;
  let session: string;
  let records: PathNames;
  let otherUpload: string;

  beforeAll(async () => {
    const registered = await send('register');
    session = readSessionSecret(registered);
    const ada = (await findUserByEmail('ada@example.com'))!;
    await write({ update: keys.user(ada.ulid), set: { isAdmin: true } });
    await write({ update: keys.counter('administrator'), add: { value: 1 } });
    user = { ...ada, isAdmin: true };
    token = (await callApi('POST /api/tokens', { session, body: { name: 'test' } })).json.token;
    await storeExampleTemplate(user);
    await storeProxy('edge.example.com');
    const bo = await addUser({ name: 'Bo', email: 'bo2@example.com', passwordHash: 'x', isAdmin: false });
    records = { ...(await storeOwnedRecords({ user, token }, { id: 42 })), '/api/users/{id}': String(bo.id) };
    const part = await callApi(`GET ${fillPath('/api/objstore/multipart/{uploadId}/1', records)}`, { token });
    await fetch(part.json.url, { method: 'PUT', body: 'open video service' });
  });

  /** Sends the example of an operation, without a credential before the first user exists. */
  async function send(operationId: string) {
    const { path, method, operation } = listOperations(document).find(
      (one) => one.operation.operationId === operationId,
    )!;
    const { access } = publishedRoutes.find((declaration) => declaration.operationId === operationId)!;
    const body = exampleOf(operation);
    const answered = await callApi(`${method} ${fillPath(path, records ?? {})}${queryOf(operation)}`, {
      ...(access === 'session' ? { session } : access !== 'public' && { token }),
      ...(body !== undefined && { body }),
    });
    assert(answered.status in operation.responses, `${operationId}: ${answered.status} ${answered.text}`);
    if (answered.headers['content-type'] === 'application/json') check(operation, answered.status, answered.json);
    for (const name of Object.keys(operation.responses[answered.status]?.headers ?? {})) {
      const has = name === 'Set-Cookie' ? answered.cookies.length === 1 : name.toLowerCase() in answered.headers;
      assert(has || answered.status === 429, `${operationId} ${answered.status} has no ${name}`);
    }
    // The examples share their records: the created user is changed, and a second upload is aborted.
    if (operationId === 'createUser') records['/api/users/{id}'] = String(answered.json.id);
    if (operationId === 'createTemplate') records['/api/templates/{id}'] = String(answered.json.data.id);
    if (operationId === 'createMultipart') otherUpload = answered.json.uploadId;
    if (operationId === 'uploadParams') records['/api/uploads/{ulid}'] = answered.json.fields.key.split('/')[2];
    if (operationId === 'completeMultipart') records['/api/objstore/multipart/{uploadId}'] = otherUpload;
    return answered;
  }

  // In the order create, read, update, delete.
  const order = ['GET', 'POST', 'PUT', 'DELETE'];
  const lastOfAll = ['reprocessVideo', 'deleteVideo', 'logout', 'updatePassword', 'deleteToken'];
  const rank = (name: string, method: string): number =>
    lastOfAll.includes(name) ? 4 + lastOfAll.indexOf(name) : order.indexOf(method);
  const declarations = publishedRoutes
    // The first was already sent for the others; the next need the files of an encoded video in the bucket.
    .filter(({ operationId }) => !['register', 'createStream', 'putCaptions'].includes(operationId))
    .toSorted((a, b) => rank(a.operationId, a.method) - rank(b.operationId, b.method));

  /** Sessions are not records. The others change nothing. */
  const inNoHistory = [
    'login',
    'logout',
    'confirmSession',
    'estimate',
    'createEmbedToken',
    'createPosterUpload',
    'testStorage',
  ];
  const linesSoFar = async () => (await listActivity(user.ulid, { offset: 0, limit: 1 })).total;

  test.each(declarations.map((declaration) => [declaration.operationId, declaration] as const))(
    '%s',
    async (name, declaration) => {
      const lines = await linesSoFar();
      const answered = await send(name);
      const isDone = answered.status === declaration.status;
      const isTold = isDone && isChange(declaration) && !inNoHistory.includes(name);
      expect(await linesSoFar(), 'each change is a line of the history').toBe(isTold ? lines + 1 : lines);
      if (needsMore.some((path) => declaration.path.startsWith(path))) return;
      expect(answered.status, answered.text).toBe(declaration.status);
    },
  );
});
