import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const maxColumns = 120;
/** By file extension. */
const commentStarts: Record<string, RegExp> = { sh: /^\s*#/ };
/** A row of a Markdown table cannot be wrapped. */
const tableRow = /^\s*\* \|/;
const isGenerated = /^client\/(dist\/|api-types\.ts$)/;
const commentStart = /^\s*(\/\/|\/\*|\* )/;
const emptyComment = /^ *\/\*\*?[\s*]*\*\//m;
/** The opening of a comment within a comment. */
const secondOpening = /^\s*(\*|\/\/|\/\*+)\s*\/\*/;

const sources = globSync(
  '{client,dashboard,delivery,embedded-aws,encoder-task,functions,infra,lab,local,shared,test,tools}/**/*.{ts,tsx,js,mjs,sh}',
).filter((path) => !path.includes('node_modules') && !isGenerated.test(path));

test('a comment opens once', () => {
  const nested = sources.flatMap((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .flatMap((line, index) => (secondOpening.test(line) ? [`${path}:${index + 1}`] : [])),
  );
  expect(nested).toEqual([]);
});

test(`a line of a comment has at most ${maxColumns} columns`, () => {
  const wide = sources.flatMap((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        (commentStarts[path.split('.').at(-1)!] ?? commentStart).test(line) &&
        !tableRow.test(line) &&
        line.length > maxColumns &&
        !/https?:\/\/\S{60}/.test(line)
          ? [`${path}:${index + 1} has ${line.length} columns`]
          : [],
      ),
  );
  expect(wide).toEqual([]);
});

const namedPath = /(?<![\w./-])(?:[\w-]+\/)+[\w.-]+\.(?:tsx?|sh|md)\b/g;

test('paths in comments exist', () => {
  const paths = globSync(
    '{client,dashboard,delivery,docs,embedded-aws,encoder-task,functions,infra,lab,local,shared,test,tools}/**/*.*',
  ).map((path) => `/${path}`);
  const missing = sources.flatMap((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => commentStart.test(line))
      .flatMap((line) => line.match(namedPath) ?? [])
      .filter((named) => !paths.some((each) => each.endsWith(`/${named}`)))
      .map((named) => `${path} names ${named}`),
  );
  expect(missing).toEqual([]);
});

test('no comment is empty', () => {
  expect(sources.filter((path) => emptyComment.test(readFileSync(path, 'utf8')))).toEqual([]);
});
