import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { openSync } from 'node:fs';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Runs a program, and throws with the end of its output when it fails. */
export async function run(program: string, args: string[], env: Record<string, string> = {}): Promise<string> {
  try {
    const { stdout } = await execute(program, args, { maxBuffer: 64 * 2 ** 20, env: { ...process.env, ...env } });
    return stdout.trim();
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} ${args.join(' ')} failed:\n${`${stdout}${stderr}`.slice(-3000)}`);
  }
}

/** Starts a program in a process group, with its output in a file. */
export function start(program: string, args: string[], logFile: string, env: Record<string, string> = {}) {
  const log = openSync(logFile, 'a');
  return spawn(program, args, { stdio: ['ignore', log, log], detached: true, env: { ...process.env, ...env } });
}

/** Ends a program and all of its group. */
export async function end(child: ChildProcess | undefined, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  process.kill(-child.pid, signal);
  await ended;
}

/** Programs with the Debian packages that have them. */
const needed = {
  dockerd: 'docker.io',
  'docker-compose': 'docker-compose',
  'docker-registry': 'docker-registry',
  pebble: 'pebble',
  debootstrap: 'debootstrap',
  iptables: 'iptables',
  ip: 'iproute2',
  nsenter: 'util-linux',
  openssl: 'openssl',
};

/** @throws Error with what is missing: this test does not skip anything */
export function checkRequirements({ hasEngine }: { hasEngine: boolean }): void {
  const isMissing = (program: string) =>
    spawnSync('sh', ['-c', `PATH=$PATH:/usr/sbin:/sbin command -v ${program}`]).status !== 0;
  const missing = Object.entries(needed)
    .filter(([program]) => isMissing(program) && !(program === 'dockerd' && hasEngine))
    .map(([, name]) => name);
  const isRoot = process.getuid?.() === 0;
  if (isRoot && missing.length === 0) return;
  const install = missing.length > 0 ? `, apt-get install ${missing.join(' ')}` : '';
  throw new Error(
    `This test starts a Docker engine, network namespaces and a Debian 13 root: it needs root on Debian or Ubuntu${install}.`,
  );
}
