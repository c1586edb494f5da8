import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { expect, onTestFinished, test } from 'vitest';
import { imageKinds } from '../../../infra/images/image-names.ts';
import { settingsOf } from '../../../infra/settings.ts';
import { VideoService } from '../../../infra/stack.ts';

type Image = {
  source: { platform: string };
  destinations: Record<string, { repositoryName: string; imageTag: string }>;
};

/** The images that the CDK pushes for a stage, and the artifacts that have to be deployed before. */
function assetsOf(overrides: object = {}): { images: Image[]; dependencies: string[]; ofStack: string[] } {
  const outdir = mkdtempSync(join(tmpdir(), 'image-synthesizer-'));
  onTestFinished(() => rmSync(outdir, { recursive: true }));
  const context = { 'aws:cdk:bundling-stacks': [] };
  const app = new App({ outdir, analyticsReporting: false, builtinCloudFormationValidation: false, context });
  const stack = new VideoService(app, 'service', { settings: settingsOf('dev', overrides) });
  stack.addStackDependency(new Stack(app, 'images'));
  const { artifacts = {} } = app.synth().manifest;
  const { dockerImages } = JSON.parse(readFileSync(join(outdir, 'service.assets.json'), 'utf8'));
  return {
    images: Object.values(dockerImages),
    dependencies: artifacts['service.assets']?.dependencies ?? [],
    ofStack: artifacts.service?.dependencies ?? [],
  };
}

test('worker and proxy are built for both architectures and pushed to the repository of the stage', () => {
  const pushed = assetsOf().images.map(({ source: { platform }, destinations }) => {
    const [{ repositoryName, imageTag }] = Object.values(destinations) as [Image['destinations'][string]];
    return [repositoryName, imageTag.replace(/-[0-9a-f]{64}$/, ''), platform];
  });
  const platformOf = (kind: string) => (kind.endsWith('-arm64') ? 'linux/arm64' : 'linux/amd64');
  expect(pushed.toSorted()).toEqual(imageKinds.map((kind) => ['video-service-dev', kind, platformOf(kind)]).toSorted());
});

test('the repository is deployed before an image is built, and the images are pushed before the stack is deployed', () => {
  const { dependencies, ofStack } = assetsOf();
  expect(dependencies).toEqual(['images']);
  expect(ofStack).toEqual(expect.arrayContaining(['images', 'service.assets']));
});

test('an image of the settings is not built', () => {
  const digest = `@sha256:${'a'.repeat(64)}`;
  const [worker, proxy] = [`registry.example.com/worker${digest}`, `registry.example.com/proxy${digest}`];
  const tags = (overrides: object) =>
    assetsOf(overrides)
      .images.flatMap(({ destinations }) => Object.values(destinations).map(({ imageTag }) => imageTag))
      .map((tag) => tag.replace(/-[0-9a-f]{64}$/, ''))
      .toSorted();
  expect(tags({ workers: { image: worker }, nodes: { proxyImage: proxy } })).toEqual([]);
  expect(tags({ workers: { image: worker } })).toEqual(['proxy-arm64', 'proxy-x86_64']);
  expect(tags({ nodes: { workerImage: worker, proxyImage: proxy } })).toEqual(['worker-arm64']);
});
