import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';

const setup = new URL('../../local/setup.mjs', import.meta.url).href;

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

/**
 * Installs Chromium where `apt-get` is a script and nothing else is installed.
 * @returns what the user reads, and the exit status
 */
async function installChromium(name: string, aptGet: string): Promise<{ text: string; status: number }> {
  const bin = join(folder, name);
  await mkdir(bin);
  for (const program of ['sh', 'env', 'touch', 'sleep', 'cat', 'chmod'])
    await symlink(`/bin/${program}`, join(bin, program));
  const scripts = { 'apt-get': aptGet, sudo: 'shift; exec "$@"' };
  for (const [file, text] of Object.entries(scripts))
    await writeFile(join(bin, file), `#!/bin/sh\ncd '${bin}'\n${text}\n`, { mode: 0o755 });
  const start = join(bin, 'start.mjs');
  await writeFile(
    start,
    `import { ensureChromium, exitWith } from ${JSON.stringify(setup)}; await exitWith(() => ensureChromium() ?? 0);`,
  );
  const child = spawn(process.execPath, [start], { env: { PATH: bin }, stdio: ['ignore', 'ignore', 'pipe'] });
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  const [status] = await once(child, 'close');
  return { text, status: Number(status) };
}

const installed = 'echo "Setting up chromium"; touch chromium; chmod 755 chromium';

test('while another program holds the lock of the package manager, the installation waits and says so', async () => {
  const lock = 'E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 812 (apt-get)';
  const script = `[ -e tried ] && { ${installed}; exit; }\ntouch tried\necho '${lock}' >&2\nexit 100`;
  expect(await installChromium('locked', script)).toEqual({
    text: 'Installing chromium…\nWaiting for another program that installs packages: process 812 (apt-get)…\n',
    status: 0,
  });
});

test('the output of the package manager is shown when it fails, and only then', async () => {
  const failed = 'echo "Reading package lists"; echo "E: Unable to locate package chromium" >&2; exit 100';
  expect(await installChromium('failed', failed)).toEqual({
    text: expect.stringMatching(
      /^Installing chromium…\nReading package lists\nE: Unable to locate package chromium\nThere is no Chromium: /,
    ),
    status: 1,
  });
  expect(await installChromium('succeeded', installed)).toEqual({ text: 'Installing chromium…\n', status: 0 });
  const outdated = `case $1 in update) touch new ;; *) [ -e new ] && { ${installed}; exit; }; echo 404; exit 100 ;; esac`;
  expect(await installChromium('outdated', outdated)).toEqual({ text: 'Installing chromium…\n', status: 0 });
});
