import { spawnSync } from 'node:child_process';
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';

type Workflow = {
  permissions: Record<string, string>;
  jobs: Record<string, { steps: { uses?: string; run?: string }[] }>;
};

const scripts = Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).scripts);
const files = globSync('.github/workflows/*.yml');

test('there are workflows for tests, deployment, images and releases', () => {
  expect(files.map((file) => file.replaceAll('\\', '/')).toSorted()).toEqual([
    '.github/workflows/ci.yml',
    '.github/workflows/deploy.yml',
    '.github/workflows/images.yml',
    '.github/workflows/release.yml',
  ]);
});

describe.each(files)('%s', (file) => {
  const text = readFileSync(file, 'utf8');
  const { permissions, jobs } = parse(text) as Workflow;
  const steps = Object.values(jobs).flatMap((job) => job.steps);

  test('calls existing npm scripts', () => {
    const called = [...text.matchAll(/npm (?:run )?(?:--silent )?(test|[\w:-]+)/g)].map(([, name]) => name!);
    expect(called.length).toBeGreaterThan(0);
    for (const name of called.filter((one) => !['ci', 'publish'].includes(one))) expect(scripts).toContain(name);
  });

  test('has no long-lived credentials and writes nothing to the repository', () => {
    expect(permissions.contents).toBe('read');
    expect(text).not.toMatch(/AWS_SECRET_ACCESS_KEY|AWS_ACCESS_KEY_ID/);
  });

  test('puts no input of a user into a shell command', () => {
    for (const { run = '' } of steps) expect(run).not.toContain('${{');
  });
});

test('jobs with tests of the images install the packages that these need', () => {
  const needed = readFileSync('test/long/docker/commands.ts', 'utf8')
    .split('const needed = {')[1]!
    .split('};')[0]!
    .matchAll(/: '([\w.-]+)'/g)
    .map(([, name]) => name!)
    // Part of the image in which the jobs run.
    .filter((name) => !['util-linux', 'openssl'].includes(name))
    .toArray();
  expect(needed).toContain('docker.io');
  for (const [file, job] of [
    ['.github/workflows/ci.yml', 'long'],
    ['.github/workflows/images.yml', 'images'],
  ] as const) {
    const { steps } = (parse(readFileSync(file, 'utf8')) as Workflow).jobs[job]!;
    const installed = steps.map(({ run = '' }) => run).find((run) => run.includes('apt-get install'))!;
    expect(installed.split(/\s+/)).toEqual(expect.arrayContaining(needed));
  }
});

describe('the deployment', () => {
  const { steps } = (parse(readFileSync('.github/workflows/deploy.yml', 'utf8')) as Workflow).jobs.deploy!;
  const runs = steps.map(({ run = '' }) => run);
  let bin: string;
  beforeEach(() => {
    bin = mkdtempSync(join(tmpdir(), 'workflow-'));
  });
  afterEach(() => rmSync(bin, { recursive: true }));

  test('installs ffmpeg before it changes the stage, because the smoke test needs it for its clip', () => {
    const order = [/apt-get install .*\bffmpeg\b/, /cdk deploy/, /npm run smoke/].map((pattern) =>
      runs.findIndex((run) => pattern.test(run)),
    );
    expect(order).not.toContain(-1);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });

  /** Runs the step that calls the setup function as GitHub does, with an AWS CLI that prints `output`. */
  const setUp = (output: string) => {
    writeFileSync(join(bin, 'output'), output);
    writeFileSync(join(bin, 'aws'), `#!/bin/sh\ncat '${bin}/output'\n`);
    chmodSync(join(bin, 'aws'), 0o755);
    const run = runs.find((one) => one.includes('$STACK-setup'))!;
    const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, STACK: 'video-service-dev' };
    // With a socket as its input, bash takes itself for a remote shell, and may read a .bashrc that changes PATH.
    return spawnSync('bash', ['--norc', '-e', '-c', run], { env, encoding: 'utf8' });
  };

  test('goes on after a setup that succeeds', () => {
    const { status, stdout, stderr } = setUp(
      '{"adminCreated":false}{\n    "StatusCode": 200,\n    "ExecutedVersion": "$LATEST"\n}\n',
    );
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout: expect.stringContaining('"adminCreated":false'),
      stderr: '',
    });
  });

  test('fails with the error of a setup that fails', () => {
    const thrown = '{"errorType":"AccessDeniedException","errorMessage":"not authorized","trace":[]}';
    const { status, stdout, stderr } = setUp(
      `${thrown}{\n    "StatusCode": 200,\n    "FunctionError": "Unhandled"\n}\n`,
    );
    const printed = expect.stringContaining('not authorized');
    expect({ status, stdout, stderr }).toEqual({ status: 1, stdout: printed, stderr: '' });
  });
});
