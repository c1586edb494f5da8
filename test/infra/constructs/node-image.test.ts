import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { expect, onTestFinished, test } from 'vitest';
import { proxyImage } from '../../../infra/constructs/node-image.ts';
import { importsOf } from '../../structure/modules.ts';

test('the image of a proxy has every module that its nginx loads, at the path where it is imported from', () => {
  const outdir = mkdtempSync(join(tmpdir(), 'proxy-image-'));
  onTestFinished(() => rmSync(outdir, { recursive: true }));
  const stack = new Stack(new App({ outdir, analyticsReporting: false }), 'stack');
  const { assetHash } = proxyImage(stack, 'arm64');
  const context = join(outdir, `asset.${assetHash}`);

  const copied = [
    ...readFileSync(join(context, 'delivery/proxy/Dockerfile'), 'utf8').matchAll(
      /^COPY (?:--chmod=\d+ )?(\S+) \/opt\/video-service\/(\S+)$/gm,
    ),
  ].map(([, source, target]) => ({ source, target }));
  for (const { source, target } of copied) expect(target).toBe(source);
  const isCopied = (path: string): boolean =>
    existsSync(join(context, path)) && copied.some(({ source }) => path === source || path.startsWith(`${source}/`));

  const modules = globSync('delivery/proxy/*.js');
  expect(modules.length).toBeGreaterThan(0);
  const imported = modules.flatMap(importsOf).filter((name) => name.includes('/'));
  expect(imported).toContain('delivery/urls/signed-url.js');
  expect([...modules, ...imported].filter((path) => !isCopied(path))).toEqual([]);
});
