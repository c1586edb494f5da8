import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { stepNames } from '../../../../functions/nodes/steps/node-steps.ts';
import { scriptInput } from '../../../../functions/nodes/steps/script-input.ts';
import { scriptTexts } from '../../../../functions/nodes/steps/script-texts.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'script-input-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const values = { NODE_ULID: '01K9Z3S0C1D2E3F4G5H6J7K8M9', NODE_TYPE: 'worker', WORKERS: '1' };

/** Runs the input as the server does, without sudo and timeout. */
const shell = (input: string) =>
  spawnSync('bash', ['--norc', '-s'], {
    input,
    env: { PATH: process.env.PATH, VIDEO_SERVICE_ROOT: root },
    encoding: 'utf8',
  });

const changed = () => readdirSync(root, { recursive: true }).map(String).toSorted();

test.each(['containers', ...stepNames])('bash can parse the script of %s', (name) => {
  const { status, stderr } = spawnSync('bash', ['--norc', '-n'], {
    input: scriptInput(name, values),
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test('every script belongs to a step', () => {
  expect(Object.keys(scriptTexts).toSorted()).toEqual(
    ['common', 'containers', ...stepNames].map((name) => `${name}.sh`).toSorted(),
  );
});

test('a script that is truncated anywhere before its last line does nothing', () => {
  const text = scriptInput('configure', { ...values, API_URL: 'https://a.example.com', WORKER_TOKEN: 'a.b' });
  const lastLine = text.indexOf('{ main; exit; }');
  for (let length = 0; length < lastLine + '{ main; exit; '.length; length += 97) {
    shell(text.slice(0, length));
    expect(changed(), `${length} characters`).toEqual([]);
  }
});

test('truncated values are refused, and none of them is used', () => {
  const text = scriptInput('configure', { ...values, API_URL: 'https://a.example.com', WORKER_TOKEN: 'a.b' });
  const lastLine = text.indexOf('{ main; exit; }');
  for (let length = lastLine + '{ main; exit; }\n'.length; length < text.length - 2; length += 13) {
    const { status, stdout } = shell(text.slice(0, length));
    expect({ status, stdout }, `${length} characters`).toEqual({
      status: 70,
      stdout: expect.stringContaining('##error VALUES_INVALID'),
    });
    expect(changed()).toEqual(['run', 'run/video-service', 'run/video-service/lock']);
  }
  expect(shell(text)).toMatchObject({ status: 0 });
  expect(changed()).toContain('etc/video-service/worker/worker.env');
});

test.each([
  ['NODE_ULID', "x'; touch PWNED; '"],
  ['NODE_TYPE', 'worker; touch PWNED'],
  ['WORKERS', '1 + a[$(touch PWNED)]'],
  ['API_URL', 'https://a.example.com\nWORKER_TOKEN=other'],
  ['WORKER_TOKEN', 'a.b\nNODE_OPTIONS=--require=/x'],
])('a script refuses an invalid %s that the service did not detect', (name, value) => {
  const all = { ...values, API_URL: 'https://a.example.com', WORKER_TOKEN: 'a.b', [name]: value };
  const { status, stdout } = shell(scriptInput('configure', all));
  expect({ status, stdout }).toEqual({ status: 70, stdout: expect.stringContaining('##error VALUES_INVALID') });
  expect(changed().filter((path) => /PWNED|worker\.env/.test(path))).toEqual([]);
});
