import { DescribeImagesCommand, ECRClient, GetAuthorizationTokenCommand } from '@aws-sdk/client-ecr';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, test, vi } from 'vitest';
import { log } from '../../../../functions/common/log.ts';
import { imageOf } from '../../../../functions/nodes/steps/node-image.ts';

const registry = mockClient(ECRClient);
const digest = `sha256:${'a'.repeat(64)}`;
const host = '111122223333.dkr.ecr.eu-west-1.amazonaws.com';

beforeEach(() => {
  registry.reset();
  registry.on(GetAuthorizationTokenCommand).resolves({
    authorizationData: [{ authorizationToken: Buffer.from('AWS:pass:word').toString('base64') }],
  });
  registry.on(DescribeImagesCommand).resolves({ imageDetails: [{ imageDigest: digest }] });
});

test('the image of a public registry is used unchanged, without a login', async () => {
  process.env.PROXY_IMAGE = `docker.io/me/proxy@${digest}`;
  expect(await imageOf('proxy')).toEqual({ IMAGE: process.env.PROXY_IMAGE });
  expect(registry.calls()).toEqual([]);
});

test('a tag in the account’s registry is resolved to a digest, with a login', async () => {
  process.env.WORKER_IMAGE = `${host}/cdk-assets:0123abc`;
  expect(await imageOf('worker')).toEqual({
    IMAGE: `${host}/cdk-assets@${digest}`,
    REGISTRY: host,
    REGISTRY_USER: 'AWS',
    REGISTRY_PASSWORD: 'pass:word',
  });
  expect(registry.commandCalls(DescribeImagesCommand)[0]?.args[0].input).toEqual({
    registryId: '111122223333',
    repositoryName: 'cdk-assets',
    imageIds: [{ imageTag: '0123abc' }],
  });
});

test('a missing image and an unreachable registry have error messages', async () => {
  vi.spyOn(log, 'warn').mockImplementation(() => {});
  process.env.WORKER_IMAGE = `${host}/cdk-assets:0123abc`;
  registry.on(DescribeImagesCommand).resolves({ imageDetails: [] });
  await expect(imageOf('worker')).rejects.toMatchObject({
    code: 'IMAGE_FAILED',
    message: expect.stringMatching(/not in/),
  });
  registry.on(DescribeImagesCommand).rejects(new Error('arn:aws:iam::111122223333:role/x is not authorized'));
  await expect(imageOf('worker')).rejects.toMatchObject({
    code: 'IMAGE_FAILED',
    message: expect.not.stringContaining('arn:'),
  });
});
