import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { leanSsh } from '../../../infra/build/lean-ssh.ts';
import { scriptsAsText } from '../../../infra/build/scripts-as-text.ts';
import { createImageName, proxy, stepValues } from '../../fixtures/servers/run-node-steps.ts';
import { startSshServer } from '../../fixtures/servers/start-ssh-server.ts';

test('the reduced SSH client and the embedded scripts of a bundle deploy a node', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lean-ssh-'));
  const server = await startSshServer({ images: [createImageName('a')], target: proxy });
  try {
    const outfile = join(folder, 'run-step.cjs');
    await build({
      entryPoints: ['functions/nodes/steps/run-step.ts'],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      external: ['*.node', 'cpu-features'],
      plugins: [leanSsh, scriptsAsText],
    });
    const { runStep } = await import(pathToFileURL(outfile).href);
    for (const step of ['configure', 'certificate', 'start'])
      expect(await runStep(server.target, step, { values: stepValues }), step).toMatchObject({ ok: true });
    const stranger = { ...server.target, user: 'nobody-of-that-name' };
    expect(await runStep(stranger, 'drain', { values: {} })).toMatchObject({ ok: false });
  } finally {
    await server.stop();
    await rm(folder, { recursive: true });
  }
});

test('another version of a package, and a client that no longer loads a replaced module, fail the build', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lean-ssh-'));
  try {
    const write = async (version: string, client: string) => {
      await mkdir(join(folder, 'node_modules/ssh2/lib'), { recursive: true });
      await writeFile(join(folder, 'node_modules/ssh2/package.json'), JSON.stringify({ name: 'ssh2', version }));
      await writeFile(join(folder, 'node_modules/ssh2/lib/client.js'), client);
      await writeFile(join(folder, 'node_modules/ssh2/lib/agent.js'), '');
    };
    const bundled = () =>
      build({
        stdin: { contents: "require('ssh2/lib/client.js')", resolveDir: folder },
        bundle: true,
        write: false,
        plugins: [leanSsh],
        logLevel: 'silent',
      });
    await write('1.99.0', "require('./agent.js')");
    await expect(bundled()).rejects.toThrow(/ssh2 is 1\.99\.0 instead of .*: compare what infra\/build\/lean-ssh\.ts/);
    await write('1.17.0', '');
    await expect(bundled()).rejects.toThrow(/does not load ssh2\/lib\/agent\.js: compare what/);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('what only reads keys is bundled without the client', async () => {
  const { outputFiles } = await build({
    entryPoints: ['functions/nodes/ssh-keys/key-pair.ts'],
    bundle: true,
    write: false,
    platform: 'node',
    external: ['*.node', 'cpu-features'],
    plugins: [leanSsh],
  });
  expect(outputFiles[0]!.text).not.toContain('NodeSSH');
});
