import { mockClient } from 'aws-sdk-client-mock';
import { expect, test, vi } from 'vitest';
import { handler } from '../../../functions/api/service.lambda.ts';
import { documents } from '../../../functions/aws/table-client.ts';
import { log } from '../../../functions/common/log.ts';
import { publishedRoutes } from '../../../functions/contracts/published-routes.ts';
import { callHandler } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();

test('the service is healthy when it has an administrator and the table is available', async () => {
  const before = await callHandler(handler, 'GET /health');
  expect(before).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
  expect(before.json).toMatchObject({
    message: 'The service is not set up yet: it has no administrator.',
    code: 'not_set_up',
  });
  await createPerson();
  expect(await callHandler(handler, 'GET /health')).toMatchObject({ status: 503 });
  await createPerson({ isAdmin: true });
  expect((await callHandler(handler, 'GET /health')).json).toEqual({ status: 'ok', version: '0.2.0' });
  vi.spyOn(log, 'warn').mockImplementation(() => {});
  const table = mockClient(documents);
  table.rejects(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }));
  expect(await callHandler(handler, 'GET /health')).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
  table.restore();
});

test('the document contains every operation, with the schemas that validate requests', async () => {
  const { status, json } = await callHandler(handler, 'GET /api/openapi.json');
  expect(status).toBe(200);
  expect(json.openapi).toBe('3.1.0');
  const operations = Object.values(json.paths as Record<string, Record<string, { operationId: string }>>).flatMap(
    (methods) => Object.values(methods).map(({ operationId }) => operationId),
  );
  expect(operations.toSorted()).toEqual(publishedRoutes.map(({ operationId }) => operationId).toSorted());
  expect(json.paths['/api/videos'].get.parameters).toContainEqual(
    expect.objectContaining({
      name: 'per_page',
      in: 'query',
      schema: expect.objectContaining({ type: 'integer', maximum: 100 }),
    }),
  );
  expect(json.paths['/api/objstore/params'].get.parameters.map(({ name }: { name: string }) => name)).toContain(
    'metadata[template]',
  );
  expect(Object.keys(json.paths['/api/users/{id}'].put.responses)).toEqual([
    '200',
    '400',
    '401',
    '403',
    '404',
    '405',
    '409',
    '413',
    '414',
    '415',
    '419',
    '422',
    '429',
    '431',
    '500',
    '503',
  ]);
  expect(json.paths['/login'].post.security).toEqual([]);
  expect(JSON.stringify(json)).not.toMatch(/"#\/components\/schemas\/(?!\w+")/);
});

test('every reference in the document can be resolved', async () => {
  const { json } = await callHandler(handler, 'GET /api/openapi.json');
  const names = [...JSON.stringify(json).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
  expect(Object.keys(json.components.schemas)).toEqual(expect.arrayContaining([...new Set(names)]));
});

test('a monitor is never limited, and takes no requests from the users of its network', async () => {
  const answer = await callHandler(handler, 'GET /health', { ip: '198.51.100.77' });
  expect(answer.headers).not.toHaveProperty('x-ratelimit-remaining');
});

test('another method of a known path is 405', async () => {
  expect(await callHandler(handler, 'POST /health')).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
});

test('administrators read the settings of the stage with their defaults, and the limits of the service', async () => {
  const [{ token }, { token: other }] = [await createPerson({ isAdmin: true }), await createPerson()];
  const { status, json } = await callHandler(handler, 'GET /api/settings', { token });
  expect(status).toBe(200);
  expect(json.data).toMatchObject({
    stage: 'test',
    settings: [
      { name: 'registration', value: true, default: false },
      { name: 'allowedOrigins', value: [], default: [] },
      { name: 'workers.maxTasks', value: 20, default: 20 },
      { name: 'alarmEmail', value: null, default: null },
    ],
    limits: { max_upload_bytes: 5 * 2 ** 40, max_template_outputs: 8, requests_per_minute: 300 },
  });
  expect(await callHandler(handler, 'GET /api/settings', { token: other })).toMatchObject({ status: 403 });
});
