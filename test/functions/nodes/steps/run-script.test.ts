import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { defaultTimeouts } from '../../../../functions/nodes/ssh/ssh-connection.ts';
import { runScript } from '../../../../functions/nodes/steps/run-script.ts';
import { runStep } from '../../../../functions/nodes/steps/run-step.ts';
import { stepLog } from '../../../../functions/nodes/steps/step-log.ts';
import { valuesOf } from '../../../../functions/nodes/steps/step-values.ts';
import { outcome, replaceProgram, runSteps, stepValues } from '../../../fixtures/servers/run-node-steps.ts';
import { killProcesses, type SshServer, startSshServer } from '../../../fixtures/servers/start-ssh-server.ts';

let server: SshServer;
afterEach(() => server.stop());

/** Starts the step image and resolves when it hangs during a pull. */
async function startHanging(timeouts = defaultTimeouts) {
  await server.fault('docker-pull-hangs');
  let log = '';
  const onLog = (text: string): void => {
    log = text;
  };
  const ended = runStep(server.target, 'image', { values: stepValues, timeouts, onLog });
  await expect.poll(() => existsSync(join(server.root, 'faults/hanging'))).toBe(true);
  return { ended, log: () => log };
}

/** Temporary files of a running step on the server. */
const leftovers = async () => (await readdir(join(server.root, 'run/video-service'))).filter((name) => name !== 'lock');

async function goesOn(): Promise<void> {
  await server.fault('docker-pull-hangs', null);
  await runSteps(server, ['image', 'configure', 'start']);
  expect(await leftovers()).toEqual([]);
}

test('after a lost session the step is busy while it still runs on the server, and can be continued afterwards', async () => {
  server = await startSshServer({ images: [] });
  const { ended, log } = await startHanging();
  await expect.poll(log).toContain('Pulling registry.example.com/video/encoder@sha256:');
  const [, ...session] = server.processes();
  for (const pid of session) killProcesses(pid, 'SIGKILL');
  expect(await ended).toMatchObject({
    ok: false,
    error: { code: 'SSH_SESSION_LOST' },
    log: expect.stringContaining('Pulling registry.example.com'),
  });
  expect(server.steps().length).toBeGreaterThan(0);
  await replaceProgram(server, 'flock', 'exec /usr/bin/flock --nonblock 9');
  expect(await outcome(server, 'configure')).toBe('NODE_BUSY');
  for (const pid of server.steps()) killProcesses(pid, 'SIGKILL');
  await goesOn();
});

test('a frozen server is detected by missing keep-alive responses', async () => {
  server = await startSshServer({ images: [] });
  const { ended } = await startHanging({ readySeconds: 10, keepAliveSeconds: 0.1 });
  for (const pid of server.processes()) killProcesses(pid, 'SIGSTOP');
  expect(await ended).toMatchObject({ ok: false, error: { code: 'SSH_SESSION_LOST' } });
  for (const pid of server.processes()) killProcesses(pid, 'SIGCONT');
  for (const pid of server.steps()) killProcesses(pid, 'SIGKILL');
  await goesOn();
});

test('a hanging command is killed on the server, with its child processes', async () => {
  server = await startSshServer({ images: [] });
  await server.fault('docker-pull-hangs');
  const output = stepLog([], () => {});
  const values = valuesOf(server.target, 'image', stepValues);
  const script = { name: 'image', values, limitSeconds: 1, output, timeouts: defaultTimeouts };
  await expect(runScript(server.target, script)).rejects.toMatchObject({ code: 'STEP_TIMED_OUT' });
  await expect.poll(server.steps).toEqual([]);
  await goesOn();
});

test('too much output ends the step', async () => {
  server = await startSshServer();
  await replaceProgram(server, 'curl', 'head -c 20000000 /dev/zero');
  const result = await runStep(server.target, 'check', { values: stepValues });
  expect(result).toMatchObject({ ok: false, error: { code: 'OUTPUT_TOO_LARGE' } });
  expect(result.log.length).toBeLessThanOrEqual(65_536);
});

test('values that a killed run left behind are deleted by the next run', async () => {
  server = await startSshServer({ images: [] });
  const { ended } = await startHanging();
  expect(await leftovers()).toHaveLength(1);
  for (const pid of server.steps()) killProcesses(pid, 'SIGKILL');
  expect(await ended).toMatchObject({ ok: false });
  await goesOn();
});
