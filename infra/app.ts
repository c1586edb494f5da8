import { App } from 'aws-cdk-lib';
import { settingsOf } from './settings.ts';
import { VideoService } from './stack.ts';

const app = new App({
  analyticsReporting: false,
  // Takes seconds. It runs with the other checks: in the tests, and here by `-c nag=true`.
  builtinCloudFormationValidation: false,
  // Here and not in cdk.json, so that `node infra/app.ts` and `cdk synth` make the same template.
  context: { '@aws-cdk/aws-iam:minimizePolicies': true, 'aws:cdk:enable-asset-metadata': true },
});

const stage: string = app.node.tryGetContext('stage') ?? 'dev';
const settings = settingsOf(stage, app.node.tryGetContext(stage));
new VideoService(app, `video-service-${stage}`, {
  settings,
  description: `Video service, stage ${stage}`,
  terminationProtection: settings.keepData,
});

if (app.node.tryGetContext('nag')) (await import('./nag.ts')).addChecks(app);
app.synth();
