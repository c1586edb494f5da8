import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { generateTypes } from '../../client/generate.ts';

test('the types of the client are those of the published document: npm run generate:client', async () => {
  const file = new URL('../../client/api-types.ts', import.meta.url);
  expect(await readFile(file, 'utf8')).toBe(await generateTypes());
});
