import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

type Workflow = {
  permissions: Record<string, string>;
  jobs: Record<string, { steps: { uses?: string; run?: string }[] }>;
};

const scripts = Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).scripts);
const files = globSync('.github/workflows/*.yml');

test('there are workflows for tests and deployment', () => {
  expect(files.map((file) => file.replaceAll('\\', '/')).toSorted()).toEqual([
    '.github/workflows/ci.yml',
    '.github/workflows/deploy.yml',
  ]);
});

describe.each(files)('%s', (file) => {
  const text = readFileSync(file, 'utf8');
  const { permissions, jobs } = parse(text) as Workflow;
  const steps = Object.values(jobs).flatMap((job) => job.steps);

  test('calls existing npm scripts', () => {
    const called = [...text.matchAll(/npm (?:run )?(?:--silent )?(test|[\w:-]+)/g)].map(([, name]) => name!);
    expect(called.length).toBeGreaterThan(0);
    for (const name of called.filter((one) => one !== 'ci')) expect(scripts).toContain(name);
  });

  test('has no long-lived credentials and writes nothing to the repository', () => {
    expect(permissions.contents).toBe('read');
    expect(text).not.toMatch(/AWS_SECRET_ACCESS_KEY|AWS_ACCESS_KEY_ID/);
  });

  test('puts no input of a user into a shell command', () => {
    for (const { run = '' } of steps) expect(run).not.toContain('${{');
  });
});
