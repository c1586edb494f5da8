import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const page = readFileSync('docs/embedded-aws.md', 'utf8');
const header = '| service or operation | behaviour | AWS documentation | test |';
const rows = page.split('\n').filter((line) => line.startsWith('| ') && line !== header);

test('each behaviour of the embedded AWS has a page of the AWS documentation and existing tests', () => {
  expect(rows.length).toBeGreaterThan(20);
  const incomplete = rows.filter((row) => {
    const cells = row.split(' | ');
    const [, , source = '', tests = ''] = cells;
    const files = [...tests.matchAll(/`((?:embedded-aws\/)?test\/[\w./-]+\.ts)`/g)].map(([, file]) => file!);
    return (
      cells.length !== 4 ||
      !source.includes('](https://docs.aws.amazon.com/') ||
      files.length === 0 ||
      !files.every((file) => existsSync(file))
    );
  });
  expect(incomplete).toEqual([]);
});

test('each section of the page has the same table', () => {
  const sections = page.split('\n## ').slice(1);
  expect(sections.filter((section) => !section.includes(`\n\n${header}\n`))).toEqual([]);
});
