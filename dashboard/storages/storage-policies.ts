import type { Storage } from './storage-form.ts';

type Target = Pick<Storage, 'bucket' | 'prefix' | 'region'>;

const partitionOf = (region: string): string =>
  region.startsWith('cn-') ? 'aws-cn' : region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws';

const json = (policy: object): string => JSON.stringify(policy, null, 2);

/** The least that a key or a role of AWS needs: of the objects below the prefix, and their list. */
export function permissionPolicy({ bucket, prefix, region }: Target): string {
  const start = prefix.trim().replace(/^\/|\/$/g, '');
  const below = start === '' ? '' : `${start}/`;
  const arn = `arn:${partitionOf(region)}:s3:::${bucket.trim() || 'BUCKET'}`;
  return json({
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Action: [
          's3:GetObject',
          's3:PutObject',
          's3:DeleteObject',
          's3:AbortMultipartUpload',
          's3:ListMultipartUploadParts',
        ],
        Resource: `${arn}/${below}*`,
      },
      {
        Effect: 'Allow',
        Action: 's3:ListBucket',
        Resource: arn,
        ...(below !== '' && { Condition: { StringLike: { 's3:prefix': `${below}*` } } }),
      },
    ],
  });
}

/** Who may assume the role: the service, for this storage only. */
export const trustPolicy = ({
  external_id,
  trusted_account,
  region,
}: Pick<Storage, 'external_id' | 'trusted_account' | 'region'>): string =>
  json({
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Principal: { AWS: `arn:${partitionOf(region)}:iam::${trusted_account}:root` },
        Action: 'sts:AssumeRole',
        Condition: { StringEquals: { 'sts:ExternalId': external_id } },
      },
    ],
  });
