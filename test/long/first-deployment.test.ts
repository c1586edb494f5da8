import { execFile } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { App } from 'aws-cdk-lib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { imageKinds } from '../../infra/images/image-names.ts';
import { ImageRepository } from '../../infra/images/image-repository.ts';
import { settingsOf } from '../../infra/settings.ts';
import { VideoService } from '../../infra/stack.ts';
import { startAwsStub } from './aws-stub.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'first-deployment-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A docker program that records its command lines and has no images. */
async function placeDocker(): Promise<string> {
  const bin = join(folder, 'bin');
  await mkdir(bin);
  const text = `#!/bin/sh\necho "docker $*" >>'${join(folder, 'log')}'\n[ "$1" != inspect ]\n`;
  await writeFile(join(bin, 'docker'), text, { mode: 0o755 });
  return bin;
}

function synthesise(): string {
  const outdir = join(folder, 'assembly');
  const context = { 'aws:cdk:bundling-stacks': [] };
  const app = new App({ outdir, analyticsReporting: false, builtinCloudFormationValidation: false, context });
  const service = new VideoService(app, 'video-service-dev', { settings: settingsOf('dev') });
  service.addStackDependency(new ImageRepository(app, 'video-service-dev-images', { stage: 'dev' }));
  app.synth();
  return outdir;
}

test('the first deployment creates the repository, builds and pushes the images, then deploys the service', async () => {
  const bin = await placeDocker();
  const log = join(folder, 'log');
  const stub = await startAwsStub('video-service-dev-images', (line) => appendFileSync(log, `${line}\n`));
  const environment = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: folder,
    AWS_ENDPOINT_URL: stub.url,
    AWS_REGION: 'eu-west-1',
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_ACCESS_KEY_ID: 'CUSTOMERKEY',
    AWS_SECRET_ACCESS_KEY: 'test',
  };
  const cdk = join(import.meta.dirname, '../../node_modules/aws-cdk/bin/cdk');
  const flags = ['--require-approval', 'never', '--no-notices', '--no-version-reporting'];
  try {
    await promisify(execFile)(process.execPath, [cdk, 'deploy', '--all', '--app', synthesise(), ...flags], {
      cwd: folder,
      env: environment,
    });
  } finally {
    await stub.close();
  }

  const lines = (await readFile(log, 'utf8')).trimEnd().split('\n');
  const steps = lines
    .filter((line) => /^(create|docker (build|push)) /.test(line))
    .map((line) => line.replace(/-[0-9a-f]{64}/g, ''));
  const repository = '111122223333.dkr.ecr.eu-west-1.amazonaws.com/video-service-dev';
  expect(steps[0]).toBe('create video-service-dev-images');
  expect(steps.at(-1)).toBe('create video-service-dev');
  expect(steps.filter((line) => line.startsWith('docker push')).toSorted()).toEqual(
    imageKinds.map((kind) => `docker push ${repository}:${kind}`).toSorted(),
  );
  const platforms = steps.flatMap((line) => /^docker build .*--platform (\S+) /.exec(line)?.[1] ?? []);
  expect(platforms.toSorted()).toEqual(['linux/amd64', 'linux/amd64', 'linux/arm64', 'linux/arm64']);
});
