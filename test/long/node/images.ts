import type { ChildProcess } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bundleEncoder, copyDockerfile } from '../../../infra/build/bundle.ts';
import { end, run, start } from './commands.ts';

const repository = join(import.meta.dirname, '../../..');

/** A Docker engine that builds: it changes nothing outside of its folder. */
export async function startEngine(folder: string, registry: string) {
  await mkdir(folder, { recursive: true });
  await rm(join(folder, 'pid'), { force: true });
  const socket = `unix://${join(folder, 'docker.sock')}`;
  const child = start(
    'dockerd',
    [
      ...['--data-root', join(folder, 'data'), '--exec-root', join(folder, 'exec'), '--host', socket],
      ...['--pidfile', join(folder, 'pid'), '--insecure-registry', registry],
      ...['--iptables=false', '--ip6tables=false', '--bridge=none'],
    ],
    join(folder, 'log'),
  );
  // The command of the distribution's engine; others may need a plugin for BuildKit.
  const docker = (...args: string[]) =>
    run('/usr/bin/docker', args, { DOCKER_HOST: socket, DOCKER_BUILDKIT: '1', DOCKER_CONFIG: folder });
  for (;;) {
    const isReady = await docker('info').then(
      () => true,
      () => false,
    );
    if (isReady) break;
    if (child.exitCode !== null) throw new Error(`dockerd ended:\n${await readFile(join(folder, 'log'), 'utf8')}`);
    await sleep(200);
  }
  return { docker, stop: () => end(child) };
}
export type Engine = Awaited<ReturnType<typeof startEngine>>;

/** Builds both images by their Dockerfiles, on bases that are made here instead of those of Docker Hub. */
export async function buildImages({ docker }: Engine, base: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const archive = join(folder, 'base.tar');
  await run('tar', ['-C', base, '-cf', archive, '.']);
  await docker('import', '--change', 'CMD ["bash"]', archive, 'debian:trixie-slim');
  await rm(archive);
  const withNode = join(folder, 'node');
  await mkdir(withNode, { recursive: true });
  await cp(join(repository, 'node_modules/node/bin/node'), join(withNode, 'node'));
  await writeFile(join(withNode, 'Dockerfile'), 'FROM debian:trixie-slim\nCOPY node /usr/local/bin/node\n');
  const [, nodeImage = ''] =
    /^ARG NODE_IMAGE=(.+)$/m.exec(await readFile(join(repository, 'encoder-task/Dockerfile'), 'utf8')) ?? [];
  await docker('build', '--quiet', '--tag', nodeImage, withNode);

  const build = ['build', '--quiet', '--network', 'host', '--tag'];
  await bundleEncoder(folder);
  await copyDockerfile(folder);
  await docker(...build, 'worker', join(folder, 'encoder-task'));
  const context = join(folder, 'proxy');
  for (const path of ['delivery/proxy', 'delivery/urls/signed-url.js'])
    await cp(join(repository, path), join(context, path), { recursive: true });
  await docker(...build, 'proxy', '--file', join(context, 'delivery/proxy/Dockerfile'), context);
}

/** A registry on all addresses of a network namespace. */
export async function startRegistry(namespace: string, port: number, folder: string): Promise<ChildProcess> {
  const config = join(folder, 'registry.yml');
  await writeFile(
    config,
    `version: 0.1\nstorage:\n  filesystem:\n    rootdirectory: ${join(folder, 'registry')}\nhttp:\n  addr: 0.0.0.0:${port}\n`,
  );
  return start('ip', ['netns', 'exec', namespace, 'docker-registry', 'serve', config], join(folder, 'registry.log'));
}

/** Pushes an image. @returns its digest */
export async function push({ docker }: Engine, image: string, registry: string): Promise<string> {
  const tag = `${registry}/${image}:latest`;
  await docker('tag', image, tag);
  const output = await docker('push', tag);
  const [digest] = /sha256:[0-9a-f]{64}/.exec(output.slice(output.lastIndexOf('digest:'))) ?? [];
  if (!digest) throw new Error(`no digest in: ${output}`);
  return digest;
}
