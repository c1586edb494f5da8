import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { Settings } from '../../settings.ts';
import { functionArn, type Resource } from '../function.ts';

/** The function that sends requests to webhooks, for the functions that start it. */
export const senderResource = (scope: Construct, settings: Settings): Resource<'start'> => ({
  environment: { SEND_FUNCTION: `video-service-${settings.stage}-send` },
  statements: () => [
    new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [functionArn(scope, settings, 'send')] }),
  ],
});
