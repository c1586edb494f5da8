import { App } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks } from 'cdk-nag';
import { expect, test } from 'vitest';
import { imageKinds } from '../../../infra/images/image-names.ts';
import { ImageRepository } from '../../../infra/images/image-repository.ts';

const repositoryOf = (context: Record<string, string> = {}): ImageRepository =>
  new ImageRepository(new App({ analyticsReporting: false, context }), 'images', { stage: 'dev' });
const stack = repositoryOf();
const template = Template.fromStack(stack);
const [{ Properties }] = Object.values(template.findResources('AWS::ECR::Repository')) as [
  { Properties: { LifecyclePolicy: { LifecyclePolicyText: string }; RepositoryPolicyText: object } },
];

test('a tag never changes its image, each image is scanned, and the repository can be deleted with its images', () => {
  template.resourceCountIs('AWS::ECR::Repository', 1);
  template.hasResource('AWS::ECR::Repository', {
    DeletionPolicy: 'Delete',
    Properties: {
      RepositoryName: 'video-service-dev',
      ImageTagMutability: 'IMMUTABLE',
      ImageScanningConfiguration: { ScanOnPush: true },
      EmptyOnDelete: true,
    },
  });
});

test('of each kind the newest images are kept, however old they are', () => {
  type Rule = { rulePriority: number; selection: { tagPrefixList?: string[]; countType: string; countNumber: number } };
  const { rules } = JSON.parse(Properties.LifecyclePolicy.LifecyclePolicyText) as { rules: Rule[] };
  const tagged = rules.filter(({ selection }) => selection.tagPrefixList);
  expect(tagged.map(({ selection }) => selection)).toEqual(
    imageKinds.map((kind) => ({
      tagStatus: 'tagged',
      tagPrefixList: [`${kind}-`],
      countType: 'imageCountMoreThan',
      countNumber: 20,
    })),
  );
  expect(rules.filter((rule) => !tagged.includes(rule)).map(({ selection }) => selection)).toEqual([
    { tagStatus: 'untagged', countType: 'sinceImagePushed', countNumber: 1, countUnit: 'days' },
  ]);
});

test('besides the role with which the CDK pushes images, only the early worker may use it without a policy', () => {
  const roleOf = (changed: ImageRepository) =>
    changed.resolve(Template.fromStack(changed).findResources('AWS::ECR::Repository'));
  expect(JSON.stringify(Properties.RepositoryPolicyText).match(/role\/[\w-]+/g)).toEqual([
    'role/cdk-hnb659fds-image-publishing-role-',
  ]);
  const sourceArn = { 'Fn::Join': ['', Match.arrayWith([':function:video-service-dev-early-worker'])] };
  template.hasResourceProperties('AWS::ECR::Repository', {
    RepositoryPolicyText: {
      Statement: [
        { Effect: 'Allow', Action: Match.arrayWith(['ecr:PutImage']) },
        {
          Effect: 'Allow',
          Principal: { Service: 'lambda.amazonaws.com' },
          Action: ['ecr:BatchGetImage', 'ecr:GetDownloadUrlForLayer'],
          Condition: { ArnLike: { 'aws:SourceArn': sourceArn } },
        },
      ],
    },
  });
  expect(JSON.stringify(template.toJSON())).toContain(':function:video-service-dev-early-worker');
  const own = roleOf(repositoryOf({ '@aws-cdk/core:bootstrapQualifier': 'own' }));
  expect(JSON.stringify(own)).toContain('role/cdk-own-image-publishing-role-');
});

test('it follows the rules of cdk-nag', () => {
  expect(new AwsSolutionsChecks(stack).validateScope(stack).violations).toEqual([]);
});
