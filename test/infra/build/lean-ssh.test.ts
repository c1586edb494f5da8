import { mkdtemp, rm } from 'node:fs/promises';
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
