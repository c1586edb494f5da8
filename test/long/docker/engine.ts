import { mkdir, readFile, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { end, run, start } from './commands.ts';

/** The variables by which the commands find an engine; none for the one that runs on this machine. */
export type EngineEnv = Record<string, string>;

/** The commands of an engine. */
export function engineOf(env: EngineEnv) {
  const variables = { DOCKER_BUILDKIT: '1', ...env };
  return {
    env: variables,
    // The command of the distribution's engine; others may need a plugin for BuildKit.
    docker: (...args: string[]) => run('/usr/bin/docker', args, variables),
  };
}
export type Engine = Pick<ReturnType<typeof engineOf>, 'docker'>;

/** Whether an engine runs that sees folders and ports of this machine. That of a host around a container does not. */
export const hasEngine = (): Promise<boolean> =>
  engineOf({})
    .docker('info', '--format', '{{.Name}}')
    .then(
      (name) => name === hostname(),
      () => false,
    );

/**
 * Starts a Docker engine that changes nothing outside of its folder: containers use the network of this machine, or a
 * bridge that a test creates and removes.
 */
export async function startEngine(folder: string): Promise<{ env: EngineEnv; stop: () => Promise<void> }> {
  await mkdir(folder, { recursive: true });
  await rm(join(folder, 'pid'), { force: true });
  const socket = `unix://${join(folder, 'docker.sock')}`;
  const child = start(
    'dockerd',
    [
      ...['--data-root', join(folder, 'data'), '--exec-root', join(folder, 'exec'), '--host', socket],
      ...['--pidfile', join(folder, 'pid'), '--iptables=false', '--ip6tables=false', '--bridge=none'],
    ],
    join(folder, 'log'),
  );
  const env = { DOCKER_HOST: socket, DOCKER_CONFIG: folder };
  const { docker } = engineOf(env);
  for (;;) {
    const isReady = await docker('info').then(
      () => true,
      () => false,
    );
    if (isReady) return { env, stop: () => end(child) };
    if (child.exitCode !== null) throw new Error(`dockerd ended:\n${await readFile(join(folder, 'log'), 'utf8')}`);
    await sleep(200);
  }
}

/** By the names of their Dockerfiles. The names are of these tests: the engine may be that of the machine. */
export const images = {
  worker: 'open-video-service-test/worker',
  proxy: 'open-video-service-test/proxy',
  service: 'open-video-service-test/service',
};
export type Image = keyof typeof images;
