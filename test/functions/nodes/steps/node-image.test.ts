import { DescribeImagesCommand, ECRClient, GetAuthorizationTokenCommand } from '@aws-sdk/client-ecr';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, test, vi } from 'vitest';
import { log } from '../../../../functions/common/log.ts';
import { imagesOf } from '../../../../functions/nodes/steps/node-image.ts';

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

/** Sets the images of workers. */
function useImages(x86: string, arm: string): void {
  Object.assign(process.env, { WORKER_IMAGE_X86_64: x86, WORKER_IMAGE_ARM64: arm });
}

test('the image of a public registry is used unchanged, without a login', async () => {
  const image = `docker.io/me/proxy@${digest}`;
  Object.assign(process.env, { PROXY_IMAGE_X86_64: image, PROXY_IMAGE_ARM64: image });
  expect(await imagesOf('proxy')).toEqual({ IMAGE_X86_64: image, IMAGE_ARM64: image });
  expect(registry.calls()).toEqual([]);
});

test('tags in the repository of the stage are resolved to digests, with a login', async () => {
  useImages(`${host}/video-service-dev:worker-x86_64-0123`, `${host}/video-service-dev:worker-arm64-4567`);
  const armDigest = `sha256:${'b'.repeat(64)}`;
  registry
    .on(DescribeImagesCommand, { imageIds: [{ imageTag: 'worker-arm64-4567' }] })
    .resolves({ imageDetails: [{ imageDigest: armDigest }] });
  expect(await imagesOf('worker')).toEqual({
    IMAGE_X86_64: `${host}/video-service-dev@${digest}`,
    IMAGE_ARM64: `${host}/video-service-dev@${armDigest}`,
    REGISTRY: host,
    REGISTRY_USER: 'AWS',
    REGISTRY_PASSWORD: 'pass:word',
  });
  expect(registry.commandCalls(DescribeImagesCommand)[0]?.args[0].input).toEqual({
    registryId: '111122223333',
    repositoryName: 'video-service-dev',
    imageIds: [{ imageTag: 'worker-x86_64-0123' }],
  });
});

test('a digest in ECR is used unchanged, with a login', async () => {
  const image = `${host}/worker@${digest}`;
  useImages(image, image);
  expect(await imagesOf('worker')).toMatchObject({ IMAGE_X86_64: image, IMAGE_ARM64: image, REGISTRY: host });
  expect(registry.commandCalls(DescribeImagesCommand)).toEqual([]);
});

test('a missing image and an unreachable registry have error messages', async () => {
  vi.spyOn(log, 'warn').mockImplementation(() => {});
  useImages(`${host}/video-service-dev:worker-x86_64-0123`, `${host}/video-service-dev:worker-arm64-4567`);
  registry.on(DescribeImagesCommand).resolves({ imageDetails: [] });
  await expect(imagesOf('worker')).rejects.toMatchObject({
    code: 'IMAGE_FAILED',
    message: expect.stringMatching(/not in/),
  });
  registry.on(DescribeImagesCommand).rejects(new Error('arn:aws:iam::111122223333:role/x is not authorized'));
  await expect(imagesOf('worker')).rejects.toMatchObject({
    code: 'IMAGE_FAILED',
    message: expect.not.stringContaining('arn:'),
  });
});
