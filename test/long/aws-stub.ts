import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

type Call = { stackName: string; input: string };

const account = '111122223333';
const region = 'eu-west-1';
const credentials =
  '<AccessKeyId>AKIA</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2036-01-01T00:00:00Z</Expiration>';

/**
 * Answers the calls that the CDK makes for a deployment, in the region eu-west-1. Stacks are created at once, and every
 * file is in the bucket of the bootstrap stack. A repository exists when the stack `repositoryStack` has been created.
 */
export async function startAwsStub(repositoryStack: string, log: (line: string) => void) {
  const stacks = new Map<string, string>();
  const stackId = (name: string) => `arn:aws:cloudformation:${region}:${account}:stack/${name}/1`;
  const failure = (message: string) =>
    `<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code><Message>${message}</Message></Error></ErrorResponse>`;
  const nameOf = (given: string) => [...stacks.keys()].find((name) => given === name || given === stackId(name));

  const results: Record<string, (call: Call) => string | object | undefined> = {
    GetCallerIdentity: () => `<Arn>arn:aws:iam::${account}:user/x</Arn><UserId>x</UserId><Account>${account}</Account>`,
    AssumeRole: () => `<Credentials>${credentials}</Credentials>`,
    DescribeStacks: ({ stackName }) => {
      const name = nameOf(stackName);
      if (name === undefined) return undefined;
      return `<Stacks><member><StackName>${name}</StackName><StackId>${stackId(name)}</StackId><StackStatus>${stacks.get(name)}</StackStatus><CreationTime>2026-01-01T00:00:00Z</CreationTime></member></Stacks>`;
    },
    CreateChangeSet: ({ stackName }) => {
      stacks.set(stackName, 'REVIEW_IN_PROGRESS');
      log(`create ${stackName}`);
      return `<Id>arn:aws:cloudformation:${region}:${account}:changeSet/c/1</Id><StackId>${stackId(stackName)}</StackId>`;
    },
    DescribeChangeSet: ({ stackName }) => {
      const name = nameOf(stackName)!;
      return `<Status>CREATE_COMPLETE</Status><ExecutionStatus>AVAILABLE</ExecutionStatus><ChangeSetName>c</ChangeSetName><ChangeSetId>arn:aws:cloudformation:${region}:${account}:changeSet/c/1</ChangeSetId><StackId>${stackId(name)}</StackId><StackName>${name}</StackName><Changes><member><Type>Resource</Type><ResourceChange><Action>Add</Action><LogicalResourceId>R</LogicalResourceId><ResourceType>AWS::ECR::Repository</ResourceType></ResourceChange></member></Changes>`;
    },
    ExecuteChangeSet: ({ stackName }) => {
      stacks.set(nameOf(stackName)!, 'CREATE_COMPLETE');
      return '';
    },
    GetTemplate: () => '<TemplateBody>{}</TemplateBody>',
    DescribeStackEvents: () => '<StackEvents></StackEvents>',
    GetParameter: () => ({ Parameter: { Name: 'version', Value: '30', Type: 'String' } }),
    DescribeRepositories: ({ input }) => {
      const [name] = (JSON.parse(input) as { repositoryNames: string[] }).repositoryNames;
      if (stacks.get(repositoryStack) !== 'CREATE_COMPLETE') return undefined;
      return { repositories: [{ repositoryUri: `${account}.dkr.ecr.${region}.amazonaws.com/${name}` }] };
    },
    DescribeImages: () => undefined,
    GetAuthorizationToken: () => ({
      authorizationData: [
        {
          authorizationToken: Buffer.from('AWS:password').toString('base64'),
          proxyEndpoint: `https://${account}.dkr.ecr.${region}.amazonaws.com`,
          expiresAt: 2e9,
        },
      ],
    }),
  };
  const notFound: Record<string, string> = {
    DescribeRepositories: 'RepositoryNotFoundException',
    DescribeImages: 'ImageNotFoundException',
  };

  const server: Server = createServer(async (request, response) => {
    let input = '';
    for await (const chunk of request) input += chunk;
    const target = request.headers['x-amz-target'];
    const form = new URLSearchParams(input);
    const operation = typeof target === 'string' ? target.split('.').at(-1)! : (form.get('Action') ?? '');
    const path = request.url ?? '/';
    if (operation === '') {
      response.end(bucketAnswer(new URL(path, 'http://localhost').searchParams));
      return;
    }
    const result = results[operation]?.({ stackName: form.get('StackName') ?? '', input });
    response.statusCode = result === undefined ? 400 : 200;
    if (target) response.end(JSON.stringify(result ?? { __type: notFound[operation], message: 'not found' }));
    else if (result === undefined) response.end(failure(`Stack with id ${form.get('StackName')} does not exist`));
    else
      response.end(`<${operation}Response><${operation}Result>${result}</${operation}Result></${operation}Response>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

function bucketAnswer(query: URLSearchParams): string {
  if (query.has('location')) return `<LocationConstraint>${region}</LocationConstraint>`;
  const key = query.get('prefix');
  if (key === null) return '';
  return `<ListBucketResult><KeyCount>1</KeyCount><Contents><Key>${key}</Key><Size>100</Size></Contents></ListBucketResult>`;
}
