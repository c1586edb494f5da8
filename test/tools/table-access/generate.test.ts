import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { handlers } from '../../../infra/build/bundle.ts';
import { repositoryRoot } from '../../../infra/repository-root.ts';
import { tableAccessOf } from '../../../infra/table-access.ts';
import { accessOf, ownCode, textOf } from '../../../tools/table-access/generate.ts';

let code: Map<string, string>;
beforeAll(async () => {
  code = await ownCode(handlers);
});

test.each(handlers)(
  '%s may use the items that its code reaches, and no others: npm run generate:table-access',
  (name) => {
    expect(tableAccessOf(name) ?? {}).toEqual(accessOf(code.get(name)!));
  },
);

test('the file is as it is generated, and names no other functions', async () => {
  const text = await readFile(join(repositoryRoot, 'infra/table-access.json'), 'utf8');
  expect(text).toBe(textOf(handlers.map((name) => [name, tableAccessOf(name) ?? {}])));
});
