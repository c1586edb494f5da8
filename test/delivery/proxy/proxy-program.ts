import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chown } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { containerPaths } from '../../../delivery/nginx/proxy-settings.ts';
import { type EngineEnv, images } from '../../long/docker/engine.ts';

/** `inside` runs a command where the program runs. */
type Program = { program: ChildProcess; inside: (...command: string[]) => Promise<void> };

const runs = async (program: string, args: string[], env: NodeJS.ProcessEnv): Promise<void> =>
  void (await promisify(execFile)(program, args, { env }));

/** The program of the image with the nginx of this machine. */
export function startHere(folder: string): Program {
  const env = { ...process.env, ...environmentOf(folder) };
  const program = spawn(join(import.meta.dirname, '../../../delivery/proxy/start.sh'), {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return { program, inside: (command, ...args) => runs(command!, args, env) };
}

/** With the mounts and the confinement of the step `start`, but with folders instead of volumes, for the tests. */
export async function startInContainer(folder: string, engine: EngineEnv): Promise<Program> {
  const env = { ...process.env, ...engine };
  const name = basename(folder);
  const mounts = {
    configuration: '/etc/video-service:ro',
    aws: '/etc/video-service-aws:ro',
    challenges: `${containerPaths.challenges}:ro`,
    run: containerPaths.run,
    cache: containerPaths.cache,
    logs: containerPaths.logs,
  };
  for (const inner of Object.keys(mounts)) await chown(join(folder, inner), nginxUser, nginxUser);
  const args = [
    ...['run', '--rm', '--name', name, '--network', 'host', '--init', '--read-only', '--cap-drop', 'ALL'],
    ...['--security-opt', 'no-new-privileges', '--pids-limit', '1024'],
    ...['--tmpfs', '/tmp:rw,noexec,nosuid,nodev,size=64m', '--env', `PROXY_TICK_SECONDS=${noTickSeconds}`],
    ...Object.entries(mounts).flatMap(([inner, target]) => ['--volume', `${join(folder, inner)}:${target}`]),
    images.proxy,
  ];
  return {
    program: spawn('/usr/bin/docker', args, { env, stdio: ['ignore', 'ignore', 'pipe'] }),
    inside: (...command) => runs('/usr/bin/docker', ['exec', name, ...command], env),
  };
}

/** The tests run the minute tasks themselves. */
const noTickSeconds = '3600';
/** Of the image. */
const nginxUser = 101;

const environmentOf = (folder: string) => ({
  PROXY_CONFIGURATION: join(folder, 'configuration'),
  PROXY_RUN: join(folder, 'run'),
  PROXY_CACHE: join(folder, 'cache'),
  PROXY_LOGS: join(folder, 'logs'),
  PROXY_SHARED_CREDENTIALS: join(folder, 'aws/credentials'),
  PROXY_TICK_SECONDS: noTickSeconds,
});
