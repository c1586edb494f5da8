import { readTemplate, type Template } from 'embedded-aws';
import { templateOf } from '../synthesised.ts';

/** All settings that add resources, beside those that the stage has by default. */
const everySetting = {
  alarmEmail: 'ops@example.com',
  storeWebhook: true,
  tracing: true,
  noncurrentVersionDays: 7,
  nodes: { fixedEgress: true },
  domain: { name: 'api.example.com', certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/x' },
  edge: {
    domain: { name: 'video.example.com', certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/x' },
    webAclArn: 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/x/y',
  },
};

export const stages: Record<string, () => Template> = {
  prod: () => templateOf('prod').toJSON() as Template,
  dev: () => templateOf('dev').toJSON() as Template,
  'dev with all settings': () => templateOf('dev', everySetting).toJSON() as Template,
};

const place = { stackName: 'demo', region: 'eu-west-1', accountId: '123456789012', apiUrl: 'https://api.example.com' };

type Statement = {
  Effect: string;
  Action: string | string[];
  Resource: string | string[];
  Condition?: Record<string, Record<string, unknown>>;
};
type Document = { Statement: Statement[] };

export type Granted = {
  /** the role, or the policy of the bucket */
  holder: string;
  actions: string[];
  resources: string[];
  conditionKeys: string[];
};

/** What the roles and the policies of buckets of a template allow. */
export function grantedStatements(synthesised: Template): Granted[] {
  const template = readTemplate(synthesised, place);
  const documents = [
    ...template.resources('AWS::IAM::Policy').flatMap(({ properties }) => {
      const { Roles, PolicyDocument } = properties as { Roles: string[]; PolicyDocument: Document };
      return Roles.map((role) => [role, PolicyDocument] as const);
    }),
    ...template.resources('AWS::IAM::Role').flatMap(({ ref, properties }) => {
      const { Policies = [] } = properties as { Policies?: { PolicyDocument: Document }[] };
      return Policies.map(({ PolicyDocument }) => [ref, PolicyDocument] as const);
    }),
    ...template
      .resources('AWS::S3::BucketPolicy')
      .map(({ ref, properties }) => [ref, (properties as { PolicyDocument: Document }).PolicyDocument] as const),
  ];
  return documents.flatMap(([holder, { Statement }]) =>
    Statement.filter(({ Effect }) => Effect === 'Allow').map(({ Action, Resource, Condition = {} }) => ({
      holder,
      actions: [Action].flat(),
      resources: [Resource].flat(),
      conditionKeys: Object.values(Condition).flatMap((keys) => Object.keys(keys)),
    })),
  );
}
