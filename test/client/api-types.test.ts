import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { generateErrorPage, generateEventTypes, generateTypes } from '../../client/generate.ts';

test.each([
  ['client/api-types.ts', generateTypes],
  ['client/event-types.ts', generateEventTypes],
  ['docs/errors.md', generateErrorPage],
])('%s has what the contract says: npm run generate:client', async (name, generate) => {
  const file = new URL(`../../${name}`, import.meta.url);
  expect(await readFile(file, 'utf8')).toBe(await generate());
});
