import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const dashboard = join(import.meta.dirname, '../../dashboard');
/** Pages with style sheets of their own. */
const otherPages = ['docs', 'embed'];

test('a class is styled by one screen: all screens of the dashboard share one style sheet', () => {
  const styledBy = new Map<string, Set<string>>();
  const files = globSync('**/*.css', { cwd: dashboard }).filter((file) => dirname(file) !== 'styles');
  for (const file of files.filter((file) => !otherPages.includes(dirname(file)))) {
    for (const [, name] of readFileSync(join(dashboard, file), 'utf8').matchAll(/^\.([a-z][\w-]*)\s*\{$/gm)) {
      styledBy.set(name!, (styledBy.get(name!) ?? new Set()).add(file));
    }
  }
  expect(styledBy.size).toBeGreaterThan(50);
  expect([...styledBy].filter(([, found]) => found.size > 1).map(([name]) => name)).toEqual([]);
});
