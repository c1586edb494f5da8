import type { ChildProcess } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeImageContexts } from '../../../tools/release/image-contexts.ts';
import { end, run, start } from './commands.ts';

const repository = join(import.meta.dirname, '../../..');

/**
 * A Docker engine that changes nothing outside of its folder: containers use the network of this machine, or a bridge
 * that a test creates and removes.
 */
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
  const { docker } = engineAt(folder);
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

/** The commands of an engine that runs in this folder. */
export function engineAt(folder: string) {
  const env = {
    DOCKER_HOST: `unix://${join(folder, 'docker.sock')}`,
    DOCKER_BUILDKIT: '1',
    DOCKER_CONFIG: folder,
  };
  return {
    env,
    // The command of the distribution's engine; others may need a plugin for BuildKit.
    docker: (...args: string[]) => run('/usr/bin/docker', args, env),
  };
}
export type Engine = Pick<ReturnType<typeof engineAt>, 'docker'>;

/** Builds the images `worker`, `proxy` and `service` by their Dockerfiles, as they are. */
export async function buildImages({ docker }: Engine, base: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const dockerfile = await readFile(join(repository, 'local/Dockerfile'), 'utf8');
  const [baseImage = '', nodeImage = ''] = ['BASE_IMAGE', 'NODE_IMAGE'].map(
    (name) => new RegExp(`^ARG ${name}=(.+)$`, 'm').exec(dockerfile)?.[1],
  );
  const isThere = (image: string) =>
    docker('image', 'inspect', image)
      .catch(() => docker('pull', image))
      .then(
        () => true,
        () => false,
      );
  if (!(await isThere(baseImage))) await makeBaseImage({ docker }, baseImage, base, folder);
  if (!(await isThere(nodeImage))) await makeNodeImage({ docker }, nodeImage, baseImage, folder);

  const build = ['build', '--quiet', '--network', 'host', '--tag'];
  const contexts = await writeImageContexts(folder);
  await docker(...build, 'worker', contexts.worker);
  await docker(...build, 'proxy', contexts.proxy);
  await docker(...build, 'service', '--file', join(repository, 'local/Dockerfile'), repository);
}

/** In place of that of Docker Hub, where that cannot be reached. */
async function makeBaseImage({ docker }: Engine, image: string, base: string, folder: string): Promise<void> {
  const archive = join(folder, 'base.tar');
  await run('tar', ['-C', base, '-cf', archive, '.']);
  await docker('import', '--change', 'CMD ["bash"]', archive, image);
  await rm(archive);
}

/** The same, with Node of the packages, npm of this machine, and the authorities that this machine trusts. */
async function makeNodeImage({ docker }: Engine, image: string, baseImage: string, folder: string): Promise<void> {
  const context = join(folder, 'node');
  await mkdir(context, { recursive: true });
  await cp(join(repository, 'node_modules/node/bin/node'), join(context, 'node'));
  await cp(join(await run('npm', ['root', '--global']), 'npm'), join(context, 'npm'), { recursive: true });
  const authorities = '/etc/ssl/certs/ca-certificates.crt';
  await cp(authorities, join(context, 'authorities'));
  await writeFile(
    join(context, 'Dockerfile'),
    `FROM ${baseImage}
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
COPY authorities ${authorities}
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
ENV NODE_EXTRA_CA_CERTS=${authorities}
`,
  );
  await docker('build', '--quiet', '--network', 'host', '--tag', image, context);
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
