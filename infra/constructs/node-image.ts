import { join } from 'node:path';
import { IgnoreMode } from 'aws-cdk-lib';
import { DockerImageAsset, Platform } from 'aws-cdk-lib/aws-ecr-assets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import type { Resource } from './function.ts';

const ecrName = /^([0-9]{12})\.dkr\.ecr\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?\/([^:@]+)/;

/**
 * The image that registered servers run, with the permission to create a registry login for them. A login has the
 * permissions of its creator.
 */
export function nodeImage(
  variable: 'WORKER_IMAGE' | 'PROXY_IMAGE',
  image: string | DockerImageAsset,
): Resource<'pull'> {
  const uri = typeof image === 'string' ? image : image.imageUri;
  const repositoryArn = typeof image === 'string' ? arnOf(image) : image.repository.repositoryArn;
  return {
    environment: variable === 'WORKER_IMAGE' ? { WORKER_IMAGE: uri } : { PROXY_IMAGE: uri },
    statements: () =>
      repositoryArn === undefined
        ? []
        : [
            new PolicyStatement({
              actions: [
                'ecr:DescribeImages',
                'ecr:BatchCheckLayerAvailability',
                'ecr:GetDownloadUrlForLayer',
                'ecr:BatchGetImage',
              ],
              resources: [repositoryArn],
            }),
            // The action does not support resources.
            new PolicyStatement({ actions: ['ecr:GetAuthorizationToken'], resources: ['*'] }),
          ],
  };
}

/** The image of proxy nodes, for the architecture of the stage. */
export const proxyImage = (scope: Construct, { workers }: Settings): DockerImageAsset =>
  new DockerImageAsset(scope, 'ProxyImage', {
    directory: join(import.meta.dirname, '../..'),
    file: 'infra/proxy/Dockerfile',
    exclude: ['*', '!infra', 'infra/*', '!infra/proxy', '!shared', 'shared/*', '!shared/delivery/signed-url.js'],
    ignoreMode: IgnoreMode.DOCKER,
    platform: imagePlatform(workers),
  });

export const imagePlatform = ({ architecture }: Settings['workers']): Platform =>
  architecture === 'arm64' ? Platform.LINUX_ARM64 : Platform.LINUX_AMD64;

function arnOf(uri: string): string | undefined {
  const [, account, region, name] = ecrName.exec(uri) ?? [];
  if (account === undefined) return undefined;
  return `arn:${region?.startsWith('cn-') ? 'aws-cn' : 'aws'}:ecr:${region}:${account}:repository/${name}`;
}
