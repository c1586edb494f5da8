import { App } from 'aws-cdk-lib';
import { settingsOf } from './settings.ts';
import { VideoService } from './stack.ts';

// Set here and not in cdk.json, so that `node infra/app.ts` and `cdk synth` make the same template.
const app = new App({
  analyticsReporting: false,
  context: { '@aws-cdk/aws-iam:minimizePolicies': true, 'aws:cdk:enable-asset-metadata': true },
});

const stage: string = app.node.tryGetContext('stage') ?? 'dev';
const settings = settingsOf(stage, app.node.tryGetContext(stage));
new VideoService(app, `video-service-${stage}`, {
  settings,
  description: `Video service, stage ${stage}`,
  terminationProtection: settings.keepData,
});

app.synth();
