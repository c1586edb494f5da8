import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { generateEventTypes, generateTypes } from '../../client/generate.ts';

test.each([
  ['api-types', generateTypes],
  ['event-types', generateEventTypes],
])('%s of the client has what the contract says: npm run generate:client', async (name, generate) => {
  const file = new URL(`../../client/${name}.ts`, import.meta.url);
  expect(await readFile(file, 'utf8')).toBe(await generate());
});
