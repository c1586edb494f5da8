import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';

const setup = new URL('../../../infra/local/setup.mjs', import.meta.url).href;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'setup-'));
  await writeFile(
    join(folder, 'program.mjs'),
    `setInterval(() => {}, 1000); process.on('SIGTERM', () => process.exit(7)); console.log(process.pid);`,
  );
  await writeFile(join(folder, 'leave.mjs'), 'process.exit(3);');
  await writeFile(
    join(folder, 'start.mjs'),
    `import { exitWith, runNode } from ${JSON.stringify(setup)}; await exitWith(() => runNode([process.argv[2]]));`,
  );
});
afterAll(() => rm(folder, { recursive: true }));

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
const firstLine = async (stream: NodeJS.ReadableStream) =>
  String((await once(createInterface({ input: stream }), 'line'))[0]);

test('the program’s exit status is passed on', async () => {
  const child = spawn(process.execPath, [join(folder, 'start.mjs'), join(folder, 'leave.mjs')], { stdio: 'ignore' });
  expect((await once(child, 'exit'))[0]).toBe(3);
});

test('a signal reaches the program, which ends in its own way', async () => {
  const child = spawn(process.execPath, [join(folder, 'start.mjs'), join(folder, 'program.mjs')]);
  await firstLine(child.stdout);
  child.kill('SIGTERM');
  expect((await once(child, 'exit'))[0]).toBe(7);
});

test('under npm, the program ends when the shell between them dies of the signal', async () => {
  const command = `"${process.execPath}" "${folder}/start.mjs" "${folder}/program.mjs"; true`;
  const environment = { ...process.env, npm_lifecycle_event: 'start' };
  const shell = spawn('sh', ['-c', command], { env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
  const pid = Number(await firstLine(shell.stdout));
  shell.kill('SIGTERM');
  await expect.poll(() => isRunning(pid)).toBe(false);
});
