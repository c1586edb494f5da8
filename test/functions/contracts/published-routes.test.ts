import { expect, test } from 'vitest';
import { publishedRoutes } from '../../../functions/contracts/published-routes.ts';
import { apiLambdas } from '../../../infra/constructs/api-lambdas.ts';

test('every operation has a name of its own', () => {
  const names = publishedRoutes.map(({ operationId }) => operationId);
  expect(new Set(names).size).toBe(names.length);
});

test.each(publishedRoutes.map((fact) => [fact.operationId, fact] as const))(
  '%s lies below a prefix of a function',
  (_, fact) => {
    const prefixes = Object.values(apiLambdas).flat();
    expect(prefixes.some((prefix) => fact.path === prefix || fact.path.startsWith(`${prefix}/`))).toBe(true);
  },
);

test('whatever makes no answer says 204, and nothing else does', () => {
  for (const { status, answer } of publishedRoutes) expect(status === 204).toBe(answer === undefined);
});
