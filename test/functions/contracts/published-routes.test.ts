import { expect, test } from 'vitest';
import { publishedRoutes } from '../../../functions/contracts/published-routes.ts';
import { apiLambdas } from '../../../infra/constructs/api-lambdas.ts';

test('operation ids are unique', () => {
  const names = publishedRoutes.map(({ operationId }) => operationId);
  expect(new Set(names).size).toBe(names.length);
});

test.each(publishedRoutes.map((declaration) => [declaration.operationId, declaration] as const))(
  '%s lies below a prefix of a function',
  (_, declaration) => {
    const prefixes = Object.values(apiLambdas).flat();
    expect(prefixes.some((prefix) => declaration.path === prefix || declaration.path.startsWith(`${prefix}/`))).toBe(
      true,
    );
  },
);

test('operations without a response body, and only those, answer 204', () => {
  for (const { status, response } of publishedRoutes) expect(status === 204).toBe(response === undefined);
});
