import { IgnoreMode } from 'aws-cdk-lib';
import { DockerImageAsset, Platform } from 'aws-cdk-lib/aws-ecr-assets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { type Architecture, imageKind } from '../images/image-names.ts';
import { repositoryRoot } from '../repository-root.ts';
import { encoderFolder } from './bundle-folders.ts';
import type { Resource } from './function.ts';

const ecrName = /^([0-9]{12})\.dkr\.ecr\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?\/([^:@]+)/;

/** One image for each architecture, in the repository of the stage. */
export type Images = Record<Architecture, DockerImageAsset>;

export const byArchitecture = (image: (architecture: Architecture) => DockerImageAsset): Images => ({
  x86_64: image('x86_64'),
  arm64: image('arm64'),
});

/**
 * The images that registered servers run, with the permission to create a registry login for them. A login has the
 * permissions of its creator.
 * @param image a name is that of an image for both architectures
 */
export function nodeImage(type: 'worker' | 'proxy', image: string | Images): Resource<'pull'> {
  const [forX86, forArm] = typeof image === 'string' ? [image, image] : [image.x86_64.imageUri, image.arm64.imageUri];
  const repositoryArn = typeof image === 'string' ? arnOf(image) : image.arm64.repository.repositoryArn;
  return {
    environment:
      type === 'worker'
        ? { WORKER_IMAGE_X86_64: forX86, WORKER_IMAGE_ARM64: forArm }
        : { PROXY_IMAGE_X86_64: forX86, PROXY_IMAGE_ARM64: forArm },
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

export const workerImage = (scope: Construct, architecture: Architecture): DockerImageAsset =>
  new DockerImageAsset(scope, `Image-${architecture}`, {
    assetName: imageKind('worker', architecture),
    directory: encoderFolder(scope),
    platform: platforms[architecture],
  });

export const proxyImage = (scope: Construct, architecture: Architecture): DockerImageAsset =>
  new DockerImageAsset(scope, `ProxyImage-${architecture}`, {
    assetName: imageKind('proxy', architecture),
    directory: repositoryRoot,
    file: 'delivery/proxy/Dockerfile',
    exclude: [
      '*',
      '!delivery',
      'delivery/*',
      '!delivery/proxy',
      '!delivery/urls',
      'delivery/urls/*',
      '!delivery/urls/signed-url.js',
    ],
    ignoreMode: IgnoreMode.DOCKER,
    platform: platforms[architecture],
  });

const platforms = { x86_64: Platform.LINUX_AMD64, arm64: Platform.LINUX_ARM64 };

function arnOf(uri: string): string | undefined {
  const [, account, region, name] = ecrName.exec(uri) ?? [];
  if (account === undefined) return undefined;
  return `arn:${region?.startsWith('cn-') ? 'aws-cn' : 'aws'}:ecr:${region}:${account}:repository/${name}`;
}
