import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';

const files = globSync('{shared,functions,encoder-task,infra}/**/*.{ts,js,mjs}').map((file) =>
  file.replaceAll('\\', '/'),
);

/** What a file imports: paths from the top of the project, or names of packages. */
function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const found = [...text.matchAll(/^(?:import|export)\s(?:[^'";]*?\sfrom\s)?['"]([^'"]+)['"];$/gm)].map(
    (match) => match[1]!,
  );
  return found.map((name) => (name.startsWith('.') ? normalize(join(dirname(file), name)) : name));
}

const inputOutput =
  /^(@aws-sdk\/|@aws-lambda-powertools\/|node:(fs|net|http|https|child_process|worker_threads|dgram|tls)\b)/;

const offences = (from: (file: string) => boolean, to: (name: string) => boolean): string[] =>
  files.filter(from).flatMap((file) =>
    importsOf(file)
      .filter(to)
      .map((name) => `${file} imports ${name}`),
  );

const within =
  (...folders: string[]) =>
  (path: string) =>
    folders.some((folder) => path.startsWith(`${folder}/`));

describe('dependencies point one way', () => {
  test('there is something to look at', () => {
    expect(files.length).toBeGreaterThan(100);
    expect(importsOf('functions/api/workers.ts')).toContain('shared/protocol/jobs.ts');
  });

  test('shared rests on nothing of the project but itself', () => {
    expect(offences(within('shared'), within('functions', 'encoder-task', 'infra'))).toEqual([]);
  });

  test('shared, the contracts, templates and planning of media do no input or output', () => {
    const pure = within(
      'shared',
      'functions/contracts',
      'functions/templates',
      'functions/planning/audio',
      'functions/planning/video',
    );
    expect(offences(pure, (name) => inputOutput.test(name) || name.startsWith('functions/aws/'))).toEqual([]);
  });

  test('functions and the encoder never meet', () => {
    expect(offences(within('functions'), within('encoder-task', 'infra'))).toEqual([]);
    expect(offences(within('encoder-task'), within('functions', 'infra'))).toEqual([]);
  });

  test('the encoder holds no AWS client: a worker has no rights', () => {
    expect(offences(within('encoder-task'), (name) => name.startsWith('@aws'))).toEqual([]);
  });

  test('the infrastructure names handlers by path and imports none', () => {
    expect(offences(within('infra'), within('functions', 'encoder-task'))).toEqual([]);
  });
});

describe('no file is, by what it imports, part of itself', () => {
  test('not for types either', () => {
    expect(files.map(circleFrom).filter((circle) => circle !== undefined)).toEqual([]);
  });
});

/** The way from a file over its imports back to it, told once for each circle: by its first file in the alphabet. */
function circleFrom(start: string): string | undefined {
  const seen = new Set<string>();
  const search = (way: string[]): string | undefined => {
    for (const next of importsOf(way.at(-1)!)) {
      if (next === start) return [...way, start].join(' -> ');
      if (next < start || seen.has(next) || !isFile.has(next)) continue;
      seen.add(next);
      const found = search([...way, next]);
      if (found) return found;
    }
    return undefined;
  };
  return search([start]);
}

const isFile = new Set(files);
