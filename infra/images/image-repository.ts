import { ArnFormat, Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { Repository, RepositoryEncryption, TagMutability, TagStatus } from 'aws-cdk-lib/aws-ecr';
import { ArnPrincipal, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { earlyWorkerHandler, imageKinds, imageRepositoryName } from './image-names.ts';

/** Each deployment with a changed image adds one of its kind, so this many earlier versions can be deployed again. */
const keptImages = 20;

/**
 * The repository of a stage for the images of worker and proxy. It is a stack of its own, because the CDK pushes images
 * before it deploys the stack that uses them. It holds nothing that a deployment cannot build again.
 */
export class ImageRepository extends Stack {
  constructor(scope: Construct, id: string, { stage, ...props }: StackProps & { stage: string }) {
    super(scope, id, props);
    const repository = new Repository(this, 'Repository', {
      repositoryName: imageRepositoryName(stage),
      imageTagMutability: TagMutability.IMMUTABLE,
      imageScanOnPush: true,
      encryption: RepositoryEncryption.AES_256,
      emptyOnDelete: true,
      removalPolicy: RemovalPolicy.DESTROY,
      // A count and not an age: an image may be in use for years without a change.
      lifecycleRules: [
        ...imageKinds.map((kind, index) => ({
          rulePriority: index + 1,
          description: `The newest images of ${kind}`,
          tagStatus: TagStatus.TAGGED,
          tagPrefixList: [`${kind}-`],
          maxImageCount: keptImages,
        })),
        // Docker may push an image as an index of untagged parts. ECR keeps the parts as long as the index exists.
        {
          rulePriority: imageKinds.length + 1,
          description: 'Parts of expired images',
          tagStatus: TagStatus.UNTAGGED,
          maxImageAge: Duration.days(1),
        },
      ],
    });
    repository.addToResourcePolicy(this.#pushByCdk());
    repository.addToResourcePolicy(this.#pullByLambda(stage));
  }

  /** Lambda copies the image of the early worker when it creates the function, and again after weeks without use. */
  #pullByLambda(stage: string): PolicyStatement {
    const resourceName = `video-service-${stage}-${earlyWorkerHandler}`;
    const arnFormat = ArnFormat.COLON_RESOURCE_NAME;
    const sourceArn = this.formatArn({ service: 'lambda', resource: 'function', resourceName, arnFormat });
    return new PolicyStatement({
      principals: [new ServicePrincipal('lambda.amazonaws.com')],
      actions: ['ecr:BatchGetImage', 'ecr:GetDownloadUrlForLayer'],
      conditions: { ArnLike: { 'aws:SourceArn': sourceArn } },
    });
  }

  /** The role with which the CDK pushes images. By itself it can only push to the repository of the bootstrap stack. */
  #pushByCdk(): PolicyStatement {
    const role = `cdk-${this.synthesizer.bootstrapQualifier}-image-publishing-role-${this.account}-${this.region}`;
    return new PolicyStatement({
      principals: [
        new ArnPrincipal(this.formatArn({ service: 'iam', region: '', resource: 'role', resourceName: role })),
      ],
      actions: [
        'ecr:DescribeRepositories',
        'ecr:DescribeImages',
        'ecr:BatchCheckLayerAvailability',
        'ecr:BatchGetImage',
        'ecr:GetDownloadUrlForLayer',
        'ecr:InitiateLayerUpload',
        'ecr:UploadLayerPart',
        'ecr:CompleteLayerUpload',
        'ecr:PutImage',
      ],
    });
  }
}
