import { DescribeImagesCommand, ECRClient, GetAuthorizationTokenCommand } from '@aws-sdk/client-ecr';
import { readEnvironment } from '../../../shared/environment.ts';
import { log } from '../../common/log.ts';
import type { Node } from '../../table/nodes/node-table.ts';
import { StepFailed } from '../ssh/node-errors.ts';

const digestPattern = /@sha256:[0-9a-f]{64}$/;
const ecrPattern = /^([0-9]{12})\.dkr\.ecr\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?\/([^:@]+)(?::([^@]+))?/;

/** The image of a node by digest, with a login if it is in a private ECR registry. */
export async function imageOf(type: Node['type']): Promise<Record<string, string>> {
  const image = type === 'worker' ? readEnvironment('WORKER_IMAGE') : readEnvironment('PROXY_IMAGE');
  const [, registryId, region = '', repositoryName = '', imageTag = ''] = ecrPattern.exec(image) ?? [];
  if (registryId === undefined) return { IMAGE: image };
  const client = new ECRClient({ region });
  try {
    return {
      IMAGE: digestPattern.test(image)
        ? image
        : await resolveDigest(client, image, { registryId, repositoryName, imageTag }),
      REGISTRY: image.slice(0, image.indexOf('/')),
      ...(await login(client)),
    };
  } catch (error) {
    if (error instanceof StepFailed) throw error;
    log.warn('the registry could not be reached', { image, error: error as Error });
    throw new StepFailed(
      'IMAGE_FAILED',
      'The registry of the service’s image could not be reached. Run the step again.',
    );
  }
}

/** By digest, since a tag can be moved to another image between two steps. */
async function resolveDigest(
  client: ECRClient,
  image: string,
  { registryId, repositoryName, imageTag }: { registryId: string; repositoryName: string; imageTag: string },
): Promise<string> {
  const { imageDetails } = await client.send(
    new DescribeImagesCommand({ registryId, repositoryName, imageIds: [{ imageTag }] }),
  );
  const digest = imageDetails?.[0]?.imageDigest;
  if (digest === undefined) throw new StepFailed('IMAGE_FAILED', 'The image of the service is not in its registry.');
  return `${image.slice(0, image.length - imageTag.length - 1)}@${digest}`;
}

async function login(client: ECRClient): Promise<Record<string, string>> {
  const { authorizationData } = await client.send(new GetAuthorizationTokenCommand({}));
  const token = Buffer.from(authorizationData?.[0]?.authorizationToken ?? '', 'base64').toString();
  const colon = token.indexOf(':');
  return { REGISTRY_USER: token.slice(0, colon), REGISTRY_PASSWORD: token.slice(colon + 1) };
}
