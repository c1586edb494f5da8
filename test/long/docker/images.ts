import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeImageContexts } from '../../../tools/release/image-contexts.ts';
import { findFreePorts } from '../../fixtures/servers/find-free-ports.ts';
import { until } from '../../journey/support/service.ts';
import { end, run, start } from './commands.ts';
import type { Base } from './debian-root.ts';
import { type Engine, type Image, images } from './engine.ts';

const repository = join(import.meta.dirname, '../../..');

/** Builds images by their Dockerfiles, as they are. @returns the image of Debian on which they are based */
export async function buildImages(
  engine: Engine,
  wanted: readonly Image[],
  { base, folder }: { base: Base; folder: string },
): Promise<string> {
  await mkdir(folder, { recursive: true });
  const baseImage = (await pulled(engine, 'BASE_IMAGE')) ?? (await importBase(engine, base, folder));
  const nodeImage = (await pulled(engine, 'NODE_IMAGE')) ?? (await makeNodeImage(engine, baseImage, folder));
  const buildArgs = ['--build-arg', `BASE_IMAGE=${baseImage}`, '--build-arg', `NODE_IMAGE=${nodeImage}`];
  const { worker, proxy } = await writeImageContexts(folder);
  const contexts = {
    worker: [worker],
    proxy: [proxy],
    service: ['--file', join(repository, 'local/Dockerfile'), repository],
  };
  for (const image of wanted) {
    await engine.docker(
      'build',
      '--quiet',
      '--network',
      'host',
      '--tag',
      images[image],
      ...buildArgs,
      ...contexts[image],
    );
  }
  return baseImage;
}

/**
 * Pulls the image that the Dockerfiles name, so that all are built from the same one, and the next run has it too.
 * @returns its name with its digest; undefined without a registry
 */
async function pulled({ docker }: Engine, argument: 'BASE_IMAGE' | 'NODE_IMAGE'): Promise<string | undefined> {
  const dockerfile = await readFile(join(repository, 'local/Dockerfile'), 'utf8');
  const [, image = ''] = new RegExp(`^ARG ${argument}=(.+)$`, 'm').exec(dockerfile) ?? [];
  await docker('pull', '--quiet', image).catch(() => undefined);
  const digests = await docker('image', 'inspect', '--format', '{{join .RepoDigests "\n"}}', image).catch(() => '');
  return digests.split('\n')[0] || undefined;
}

/** In place of that of Docker Hub. The tag is the digest of what the base consists of. */
async function importBase({ docker }: Engine, base: Base, folder: string): Promise<string> {
  const image = `open-video-service-test/debian:${base.digest}`;
  const isThere = await docker('image', 'inspect', image).then(
    () => true,
    () => false,
  );
  if (isThere) return image;
  const archive = join(folder, 'base.tar');
  await run('tar', ['-C', base.root, '-cf', archive, '.']);
  await docker('import', '--change', 'CMD ["bash"]', archive, image);
  await rm(archive);
  return image;
}

/**
 * The same, with Node of the packages, npm of this machine, and the authorities that this machine trusts. Without a
 * change of these, the engine has all layers.
 */
async function makeNodeImage({ docker }: Engine, baseImage: string, folder: string): Promise<string> {
  const image = 'open-video-service-test/node';
  const context = join(folder, 'node');
  await mkdir(context, { recursive: true });
  await cp(join(repository, 'node_modules/node/bin/node'), join(context, 'node'));
  const npm = await run('readlink', ['--canonicalize', await run('sh', ['-c', 'command -v npm'])]);
  await cp(join(npm, '../..'), join(context, 'npm'), { recursive: true });
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
  return image;
}

/**
 * Pushes the images of nodes into a registry that a network namespace then has on its loopback address, where engines
 * need no TLS.
 * @returns what that namespace pulls, by digest
 */
export async function startRegistry(engine: Engine, { namespace, folder }: { namespace: string; folder: string }) {
  const address = `127.0.0.1:${await findFreePorts()}`;
  const [config, log] = [join(folder, 'registry.yml'), join(folder, 'registry.log')];
  await writeFile(
    config,
    `version: 0.1\nstorage:\n  filesystem:\n    rootdirectory: ${join(folder, 'registry')}\nhttp:\n  addr: ${address}\n`,
  );
  // The engine does not reach the namespace, but the files of the registry are the same.
  const filling = start('docker-registry', ['serve', config], log);
  try {
    await until(() =>
      fetch(`http://${address}/v2/`)
        .then(({ ok }) => ok)
        .catch(() => false),
    );
    const worker = await push(engine, images.worker, address);
    const proxy = await push(engine, images.proxy, address);
    await end(filling);
    return {
      worker,
      proxy,
      registry: start('ip', ['netns', 'exec', namespace, 'docker-registry', 'serve', config], log),
    };
  } catch (error) {
    await end(filling);
    throw error;
  }
}

async function push({ docker }: Engine, image: string, registry: string): Promise<string> {
  const name = `${registry}/${image}`;
  await docker('tag', image, name);
  const output = await docker('push', name);
  await docker('image', 'rm', '--no-prune', name);
  const [digest] = /sha256:[0-9a-f]{64}/.exec(output.slice(output.lastIndexOf('digest:'))) ?? [];
  if (!digest) throw new Error(`no digest in: ${output}`);
  return `${name}@${digest}`;
}
