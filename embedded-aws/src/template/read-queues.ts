import { z } from 'zod';
import { compilePolicy, type Policy } from '../iam/policy.ts';
import type { DeployedTemplate } from './deployed-template.ts';

export type QueueDefinition = ReturnType<typeof readQueues>[number];

/** An action of a service on behalf of a resource, such as EventBridge for a rule. */
type ServiceRequest = { service: string; action: string; sourceArn: string };

const queueProperties = z.object({
  MessageRetentionPeriod: z.number().default(4 * 24 * 3600),
  MaximumMessageSize: z.number().default(1024 * 1024),
  VisibilityTimeout: z.number().default(30),
  /** FIFO queues are not supported. */
  FifoQueue: z.literal(false).optional(),
});
const names = z.union([z.string(), z.array(z.string())]).transform((value) => [value].flat());
const statement = z.looseObject({
  Effect: z.enum(['Allow', 'Deny']),
  Principal: z.union([z.literal('*'), z.object({ Service: names.default([]), AWS: names.default([]) })]),
});
const policyProperties = z.object({
  Queues: z.array(z.string()),
  PolicyDocument: z.object({ Statement: z.array(statement) }),
});
type Statement = z.output<typeof statement>;

/** The queues of a template. Each one has the resource policies that the template attaches to it. */
export function readQueues(template: DeployedTemplate) {
  const policies = template
    .resources('AWS::SQS::QueuePolicy')
    .map(({ properties }) => policyProperties.parse(properties));
  return template.resources('AWS::SQS::Queue').map(({ ref, arn, properties }) => {
    const settings = queueProperties.parse(properties);
    const statements = policies
      .filter(({ Queues }) => Queues.includes(ref))
      .flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
    return {
      url: ref,
      arn,
      name: arn.split(':').at(-1)!,
      retentionSeconds: settings.MessageRetentionPeriod,
      maxMessageBytes: settings.MaximumMessageSize,
      visibilitySeconds: settings.VisibilityTimeout,
      /** A service needs an Allow of the policy of the queue. */
      allows: servicePolicy(arn, statements),
      /** Roles of the same account need an Allow of their own policies, and no Deny of this one. */
      denies: denyPolicy(arn, statements),
    };
  });
}

function servicePolicy(arn: string, statements: Statement[]): (request: ServiceRequest) => boolean {
  const compiled = new Map<string, Policy>();
  return ({ service, action, sourceArn }) => {
    const policy = compiled.get(service) ?? compilePolicy(statements.filter(appliesTo(service)).map(withoutPrincipal));
    compiled.set(service, policy);
    return policy({ action, resource: arn, context: { 'aws:sourcearn': sourceArn, 'aws:securetransport': 'true' } });
  };
}

function denyPolicy(arn: string, statements: Statement[]): (action: string) => boolean {
  const denied = statements.filter((one) => one.Effect === 'Deny' && appliesToEveryone(one));
  // What a Deny statement covers, an Allow statement of the same form allows.
  const covers = compilePolicy(denied.map((one) => ({ ...withoutPrincipal(one), Effect: 'Allow' })));
  return (action) => covers({ action, resource: arn, context: { 'aws:securetransport': 'true' } });
}

const appliesToEveryone = ({ Principal }: Statement): boolean => Principal === '*' || Principal.AWS.includes('*');

const appliesTo =
  (service: string) =>
  (one: Statement): boolean =>
    appliesToEveryone(one) || (one.Principal !== '*' && one.Principal.Service.includes(service));

function withoutPrincipal({ Principal: _, ...rest }: Statement): object {
  return rest;
}
