import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { decisionCodes } from '../../../shared/protocol/decisions.ts';

test('docs/encoding.md describes exactly the codes of decisions', () => {
  const page = readFileSync('docs/encoding.md', 'utf8');
  const section = page.slice(page.indexOf('\n## Decisions\n')).split('\n## ')[1]!;
  const described = [...section.matchAll(/^\| `([a-z_]+)` \| \S/gm)].map(([, code]) => code);
  expect(described.toSorted()).toEqual(decisionCodes.toSorted());
});
