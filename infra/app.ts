import { App } from 'aws-cdk-lib';
import * as cxapi from 'aws-cdk-lib/cx-api';
import { bundle } from './build/bundle.ts';
import { type Settings, settingsOf } from './settings.ts';
import { VideoService } from './stack.ts';

const app = new App({
  analyticsReporting: false,
  // Takes seconds. It runs with the other checks: in the tests, and here by `-c nag=true`.
  builtinCloudFormationValidation: false,
  // Here and not in cdk.json, so that `node infra/app.ts` and `cdk synth` make the same template.
  context: {
    '@aws-cdk/aws-iam:minimizePolicies': true,
    'aws:cdk:enable-asset-metadata': true,
    'aws:cdk:enable-path-metadata': true,
  },
});

const stage: string = app.node.tryGetContext('stage') ?? 'dev';
const settings = settingsOrSentence(stage, app.node.tryGetContext(stage));
// An empty list, as `cdk ls` and `cdk destroy` give it, asks for no assets.
if (app.node.tryGetContext(cxapi.BUNDLING_STACKS)?.length !== 0) await bundle(app.outdir);

new VideoService(app, `video-service-${stage}`, {
  settings,
  description: `Video service, stage ${stage}`,
  terminationProtection: settings.keepData,
});

if (app.node.tryGetContext('nag')) (await import('./nag.ts')).addChecks(app);
app.synth();

/** A setting that cannot be is the operator's to mend: a sentence, without where in the code it was noticed. */
function settingsOrSentence(stage: string, overrides: unknown): Settings {
  try {
    return settingsOf(stage, overrides);
  } catch (error) {
    console.error((error as Error).message);
    return process.exit(1);
  }
}
