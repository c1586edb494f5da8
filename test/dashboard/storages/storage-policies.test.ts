import { expect, test } from 'vitest';
import { permissionPolicy, trustPolicy } from '../../../dashboard/storages/storage-policies.ts';

test('objects below the prefix are allowed, and their list', () => {
  const { Statement } = JSON.parse(permissionPolicy({ bucket: 'films', prefix: '/videos/', region: 'eu-central-1' }));
  expect(Statement[0]).toMatchObject({ Resource: 'arn:aws:s3:::films/videos/*' });
  expect(Statement[1]).toEqual({
    Effect: 'Allow',
    Action: 's3:ListBucket',
    Resource: 'arn:aws:s3:::films',
    Condition: { StringLike: { 's3:prefix': 'videos/*' } },
  });
});

test('without a prefix all objects of the bucket are allowed', () => {
  const { Statement } = JSON.parse(permissionPolicy({ bucket: 'films', prefix: '', region: 'cn-north-1' }));
  expect(Statement[0].Resource).toBe('arn:aws-cn:s3:::films/*');
  expect(Statement[1]).not.toHaveProperty('Condition');
});

test('only the service may assume the role, with the external id of the storage', () => {
  const policy = trustPolicy({ external_id: 'abc', trusted_account: '111122223333', region: 'us-gov-west-1' });
  expect(JSON.parse(policy).Statement).toEqual([
    {
      Effect: 'Allow',
      Principal: { AWS: 'arn:aws-us-gov:iam::111122223333:root' },
      Action: 'sts:AssumeRole',
      Condition: { StringEquals: { 'sts:ExternalId': 'abc' } },
    },
  ]);
});
