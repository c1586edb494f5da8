import { DescribeImagesCommand, ECRClient, GetAuthorizationTokenCommand } from '@aws-sdk/client-ecr';
import { readEnvironment } from '../../../shared/environment.ts';
import { log } from '../../common/log.ts';
import type { Node } from '../../table/nodes/node-table.ts';
import { StepFailed } from '../ssh/node-errors.ts';

const digestPattern = /@sha256:[0-9a-f]{64}$/;
const ecrPattern = /^([0-9]{12})\.dkr\.ecr\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?\/([^:@]+)(?::([^@]+))?/;

/**
 * The images of a node by digest, for both architectures, with a login if they are in a private ECR registry. Both are
 * in the same registry. The server chooses the image of its processor.
 */
export async function imagesOf(type: Node['type']): Promise<Record<string, string>> {
  const images = imagesOfStage(type);
  const image = images.IMAGE_X86_64;
  const [, registryId, region = ''] = ecrPattern.exec(image) ?? [];
  if (registryId === undefined) return images;
  if (readEnvironment('AWS_ENDPOINT_URL_S3') !== undefined) {
    const name = type === 'worker' ? 'WORKER_IMAGE' : 'PROXY_IMAGE';
    throw new StepFailed('IMAGE_FAILED', `A service on one machine has no registry: start it with ${name}.`);
  }
  const client = new ECRClient({ region });
  try {
    return {
      IMAGE_X86_64: await resolveDigest(client, images.IMAGE_X86_64),
      IMAGE_ARM64: await resolveDigest(client, images.IMAGE_ARM64),
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

const imagesOfStage = (type: Node['type']) =>
  type === 'worker'
    ? { IMAGE_X86_64: readEnvironment('WORKER_IMAGE_X86_64'), IMAGE_ARM64: readEnvironment('WORKER_IMAGE_ARM64') }
    : { IMAGE_X86_64: readEnvironment('PROXY_IMAGE_X86_64'), IMAGE_ARM64: readEnvironment('PROXY_IMAGE_ARM64') };

/** By digest, so that the server verifies that it runs the image that the registry has now. */
async function resolveDigest(client: ECRClient, image: string): Promise<string> {
  if (digestPattern.test(image)) return image;
  const [, registryId, , repositoryName = '', imageTag = ''] = ecrPattern.exec(image) ?? [];
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
