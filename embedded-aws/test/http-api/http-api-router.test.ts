import { expect, test } from 'vitest';
import { createRouter } from '../../src/http-api/http-api-router.ts';

const find = createRouter(
  [
    '$default',
    'ANY /api/{proxy+}',
    'ANY /api/videos',
    'ANY /api/videos/{proxy+}',
    'GET /api/videos/{ulid}',
    'GET /api/users',
  ].map((routeKey) => ({ routeKey, functionName: 'f', permitted: true })),
);
const found = (method: string, path: string) => {
  const { route, pathParameters } = find(method, path)!;
  return [route.routeKey, pathParameters];
};

test.each([
  ['GET', '/api/videos', 'ANY /api/videos', undefined],
  ['GET', '/api/videos/01', 'GET /api/videos/{ulid}', { ulid: '01' }],
  ['PUT', '/api/videos/01', 'ANY /api/videos/{proxy+}', { proxy: '01' }],
  ['GET', '/api/videos/01/sources', 'ANY /api/videos/{proxy+}', { proxy: '01/sources' }],
  ['GET', '/api/videosx', 'ANY /api/{proxy+}', { proxy: 'videosx' }],
  ['GET', '/api/a b\nc', 'ANY /api/{proxy+}', { proxy: 'a b\nc' }],
  ['GET', '/api/%20', 'ANY /api/{proxy+}', { proxy: '%20' }],
  ['GET', '/api/users', 'GET /api/users', undefined],
  ['POST', '/api/users', 'ANY /api/{proxy+}', { proxy: 'users' }],
  ['GET', '/', '$default', undefined],
])('the route of %s %s is %s', (method, path, routeKey, parameters) => {
  expect(found(method, path)).toEqual([routeKey, parameters]);
});

test('an unknown path has no route without a default route', () => {
  expect(createRouter([{ routeKey: 'GET /a', functionName: 'f', permitted: true }])('GET', '/b')).toBeUndefined();
});
