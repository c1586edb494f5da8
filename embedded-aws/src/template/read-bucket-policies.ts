import { z } from 'zod';
import { compileDenials, compileServicePolicy, type Policy } from '../iam/policy.ts';
import type { DeployedTemplate } from './deployed-template.ts';

const policyProperties = z.object({
  Bucket: z.string(),
  PolicyDocument: z.object({ Statement: z.array(z.unknown()) }),
});

/** What the policies of all buckets deny the roles and users of the account. */
export const readBucketDenials = (template: DeployedTemplate): Policy =>
  compileDenials(
    template
      .resources('AWS::S3::BucketPolicy')
      .flatMap(({ properties }) => policyProperties.parse(properties).PolicyDocument.Statement),
  );

/** What the policy of a bucket allows a service of AWS, such as `cloudfront.amazonaws.com`. */
export function readBucketPolicies(template: DeployedTemplate): (bucket: string, service: string) => Policy {
  const policies = template
    .resources('AWS::S3::BucketPolicy')
    .map(({ properties }) => policyProperties.parse(properties));
  return (bucket, service) =>
    compileServicePolicy(
      policies.filter(({ Bucket }) => Bucket === bucket).flatMap(({ PolicyDocument }) => PolicyDocument.Statement),
      service,
    );
}
