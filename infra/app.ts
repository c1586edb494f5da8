import { App } from 'aws-cdk-lib';
import * as cxapi from 'aws-cdk-lib/cx-api';
import { bundle } from './build/bundle.ts';
import { bundleChanged } from './build/bundle-changed.ts';
import { bundleSite } from './build/site/bundle-site.ts';
import { ImageRepository } from './images/image-repository.ts';
import { type Settings, settingsOf } from './settings.ts';
import { VideoService } from './stack.ts';

const app = new App({
  analyticsReporting: false,
  // It takes seconds. It runs with the other checks: in the tests, and here with `-c nag=true`.
  builtinCloudFormationValidation: false,
  // Here and not in cdk.json, so that `node infra/app.ts` and `cdk synth` produce the same template.
  context: {
    '@aws-cdk/aws-iam:minimizePolicies': true,
    'aws:cdk:enable-asset-metadata': true,
    'aws:cdk:enable-path-metadata': true,
  },
});

const stage: string = app.node.tryGetContext('stage') ?? 'dev';
const settings = readSettings(stage, app.node.tryGetContext(stage));
// `cdk ls` and `cdk destroy` pass an empty list: they need no assets.
if (app.node.tryGetContext(cxapi.BUNDLING_STACKS)?.length !== 0) {
  const bundleCache: string | undefined = app.node.tryGetContext('bundleCache');
  const bundles = bundleCache === undefined ? bundle(app.outdir) : bundleChanged(app.outdir, bundleCache);
  await Promise.all([bundles, bundleSite(app.outdir)]);
}

const { terminationProtection } = settings;
const service = new VideoService(app, `video-service-${stage}`, {
  settings,
  description: `Video service, stage ${stage}`,
  terminationProtection,
  // CloudFormation adds it to all resources, and a task gets it from its definition: the bill can be divided by it.
  tags: { 'video-service-stage': stage },
});
// One machine has no registry.
if (stage !== 'local') {
  const images = new ImageRepository(app, `video-service-${stage}-images`, {
    stage,
    description: `Images of the video service, stage ${stage}`,
    terminationProtection,
    tags: { 'video-service-stage': stage },
  });
  service.addStackDependency(images);
}

if (app.node.tryGetContext('nag')) (await import('./nag.ts')).addChecks(app);
app.synth();

/** Prints only the message for an invalid setting: the operator corrects it and needs no stack trace. */
function readSettings(stage: string, overrides: unknown): Settings {
  try {
    return settingsOf(stage, overrides);
  } catch (error) {
    console.error((error as Error).message);
    return process.exit(1);
  }
}
