import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { defaultTimeouts } from '../../../../functions/nodes/ssh/ssh-connection.ts';
import { runScript } from '../../../../functions/nodes/steps/run-script.ts';
import { runStep } from '../../../../functions/nodes/steps/run-step.ts';
import { stepLog } from '../../../../functions/nodes/steps/step-log.ts';
import { valuesOf } from '../../../../functions/nodes/steps/step-values.ts';
import { outcome, replaceProgram, runSteps, stepValues } from '../../../fixtures/run-node-steps.ts';
import { killProcesses, type SshServer, startSshServer } from '../../../fixtures/start-ssh-server.ts';

let server: SshServer;
afterEach(() => server.stop());

/** Starts the step image and resolves once it hangs in the middle of a pull. */
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

/** What a step leaves for itself on the server while it runs. */
const leftovers = async () => (await readdir(join(server.root, 'run/video-service'))).filter((name) => name !== 'lock');

async function goesOn(): Promise<void> {
  await server.fault('docker-pull-hangs', null);
  await runSteps(server, ['image', 'configure', 'start']);
  expect(await leftovers()).toEqual([]);
}

test('a session that is killed in the middle of a step is lost; the step is busy as long as it still runs, and goes on afterwards', async () => {
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

test('a server that freezes is noticed by its silence', async () => {
  server = await startSshServer({ images: [] });
  const { ended } = await startHanging({ readySeconds: 10, keepAliveSeconds: 0.1 });
  for (const pid of server.processes()) killProcesses(pid, 'SIGSTOP');
  expect(await ended).toMatchObject({ ok: false, error: { code: 'SSH_SESSION_LOST' } });
  for (const pid of server.processes()) killProcesses(pid, 'SIGCONT');
  for (const pid of server.steps()) killProcesses(pid, 'SIGKILL');
  await goesOn();
});

test('a command that hangs is ended on the server itself, with all that it started', async () => {
  server = await startSshServer({ images: [] });
  await server.fault('docker-pull-hangs');
  const output = stepLog([], () => {});
  const values = valuesOf(server.target, 'image', stepValues);
  const script = { name: 'image', values, limitSeconds: 1, output, timeouts: defaultTimeouts };
  await expect(runScript(server.target, script)).rejects.toMatchObject({ code: 'STEP_TIMED_OUT' });
  await expect.poll(server.steps).toEqual([]);
  await goesOn();
});

test('a server that never stops talking is cut short', async () => {
  server = await startSshServer();
  await replaceProgram(server, 'curl', 'head -c 20000000 /dev/zero');
  const result = await runStep(server.target, 'check', { values: stepValues });
  expect(result).toMatchObject({ ok: false, error: { code: 'OUTPUT_TOO_LARGE' } });
  expect(result.log.length).toBeLessThanOrEqual(65_536);
});

test('values that were left by a run that was killed are gone after the next', async () => {
  server = await startSshServer({ images: [] });
  const { ended } = await startHanging();
  expect(await leftovers()).toHaveLength(1);
  for (const pid of server.steps()) killProcesses(pid, 'SIGKILL');
  expect(await ended).toMatchObject({ ok: false });
  await goesOn();
});
