import type { DockerImageAsset } from 'aws-cdk-lib/aws-ecr-assets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Resource } from './function.ts';

const ecrName = /^([0-9]{12})\.dkr\.ecr\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?\/([^:@]+)/;

/**
 * The image that registered servers run, with the rights to hand them a login to its registry: a login can do what its maker can. Null where the
 * settings name none and none is built: the step that would pull it then says so.
 */
export function nodeImage(
  variable: 'WORKER_IMAGE' | 'PROXY_IMAGE',
  image: string | DockerImageAsset | null,
): Resource<'pull'> {
  const uri = image === null || typeof image === 'string' ? (image ?? '') : image.imageUri;
  const repositoryArn = image === null || typeof image === 'string' ? arnOf(uri) : image.repository.repositoryArn;
  return {
    environment: { [variable]: uri },
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
            // The action knows no resource.
            new PolicyStatement({ actions: ['ecr:GetAuthorizationToken'], resources: ['*'] }),
          ],
  };
}

function arnOf(uri: string): string | undefined {
  const [, account, region, name] = ecrName.exec(uri) ?? [];
  if (account === undefined) return undefined;
  return `arn:${region?.startsWith('cn-') ? 'aws-cn' : 'aws'}:ecr:${region}:${account}:repository/${name}`;
}
