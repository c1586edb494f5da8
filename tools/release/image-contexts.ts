import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleEncoder, copyImageFiles } from '../../infra/build/bundle.ts';

/**
 * Writes what `docker build` needs for the images of workers and proxies, as a deployment does:
 * `node tools/release/image-contexts.ts FOLDER` makes `FOLDER/worker` and `FOLDER/proxy`, each with its `Dockerfile`.
 */

const repository = join(import.meta.dirname, '../..');

export async function writeImageContexts(folder: string): Promise<{ worker: string; proxy: string }> {
  const [worker, proxy] = [join(folder, 'worker'), join(folder, 'proxy')];
  await mkdir(folder, { recursive: true });
  await bundleEncoder(folder);
  await copyImageFiles(folder);
  await cp(join(folder, 'encoder-task'), worker, { recursive: true });
  for (const path of ['delivery/proxy', 'delivery/urls/signed-url.js']) {
    await cp(join(repository, path), join(proxy, path), { recursive: true });
  }
  await cp(join(repository, 'delivery/proxy/Dockerfile'), join(proxy, 'Dockerfile'));
  return { worker, proxy };
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new Error('Pass the folder in which the contexts are written.');
  await writeImageContexts(folder);
}
