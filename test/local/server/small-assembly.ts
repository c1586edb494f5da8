import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

/** Records that are written to the table: what the state machine received, and that the schedule ran. */
const handlers = `
import { DynamoDBClient, PutItemCommand, GetItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { SSMClient, GetParameterCommand, PutParameterCommand } from '@aws-sdk/client-ssm';
import { ECSClient, RunTaskCommand } from '@aws-sdk/client-ecs';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
const table = process.env.TABLE_NAME;
const database = new DynamoDBClient({});
const note = (pk, text) => database.send(new PutItemCommand({ TableName: table, Item: { pk: { S: pk }, text: { S: text } } }));
const read = async (pk) => (await database.send(new GetItemCommand({ TableName: table, Key: { pk: { S: pk } } }))).Item?.text.S;

export const setup = async ({ admin }) => {
  const known = await read('admin');
  await new SSMClient({}).send(new PutParameterCommand({ Name: process.env.PARAMETER_PREFIX + '/signing-keys', Type: 'SecureString', Overwrite: true,
    Value: JSON.stringify({ current: 'k1', keys: { k1: Buffer.alloc(32, 1).toString('base64url') } }) }));
  await note('key-ids', process.env.AWS_ACCESS_KEY_ID);
  if (admin) await note('admin', admin.email);
  return { adminCreated: Boolean(admin) && known !== admin.email };
};
export const api = async ({ rawPath }) => {
  if (rawPath === '/run-task') {
    const { tasks } = await new ECSClient({}).send(new RunTaskCommand({ cluster: 'c', taskDefinition: process.env.TASK_DEFINITION }));
    return { started: tasks.length };
  }
  if (rawPath === '/reach') {
    await note('key-ids', await read('key-ids') + ' ' + process.env.AWS_ACCESS_KEY_ID);
    const attempts = {
      'own table': () => read('admin'),
      'another item action': () => database.send(new ScanCommand({ TableName: table })),
      "another function's parameter": () => new SSMClient({}).send(new GetParameterCommand({ Name: '/small/signing-keys', WithDecryption: true })),
      'an object': () => new S3Client({}).send(new GetObjectCommand({ Bucket: 'media', Key: 'uploads/a.mp4' })),
      'a function': () => new LambdaClient({}).send(new InvokeCommand({ FunctionName: 'small-setup', Payload: '{}' })),
    };
    const outcomes = {};
    for (const [name, attempt] of Object.entries(attempts)) outcomes[name] = await attempt().then(() => 'done', (error) => error.name);
    return outcomes;
  }
  return { statusCode: 200, body: (await read(rawPath.slice(1))) ?? 'nothing' };
};
export const stored = async ({ key, reason }) => { await note('stored', reason + ' ' + key); };
export const changed = async ({ Records }) => {
  for (const { eventName, dynamodb, eventSourceARN } of Records)
    await note('changed', [eventName, dynamodb.NewImage.text.S, eventSourceARN.split('/')[1]].join(' '));
};
export const tick = async () => { await note('tick', 'ran'); };
`;
const worker = `console.log('working ' + process.env.WORKER_NAME); setInterval(() => {}, 1000);`;

const arnOf = (name: string) => ({ 'Fn::GetAtt': [name, 'Arn'] });

const lambda = (name: string, more: Record<string, unknown> = {}) => ({
  Type: 'AWS::Lambda::Function',
  Properties: {
    FunctionName: `small-${name}`,
    Runtime: 'nodejs24.x',
    Handler: `index.${name}`,
    Code: { S3Key: 'code.zip' },
    Role: arnOf(`${name}Role`),
    Timeout: 20,
    MemorySize: 128,
    Environment: { Variables: { TABLE_NAME: { Ref: 'Table' }, ...more } },
  },
});

/** A role with the actions and resources that it allows. */
const role = (...allowed: [action: string | string[], resource: unknown][]) => ({
  Type: 'AWS::IAM::Role',
  Properties: {
    AssumeRolePolicyDocument: {
      Statement: ['lambda', 'states', 'events'].map((service) => ({
        Effect: 'Allow',
        Action: 'sts:AssumeRole',
        Principal: { Service: `${service}.amazonaws.com` },
      })),
    },
    Policies: [
      {
        PolicyName: 'own',
        PolicyDocument: {
          Statement: allowed.map(([Action, Resource]) => ({ Effect: 'Allow', Action, Resource })),
        },
      },
    ],
  },
});
const permission = (name: string, service: string) => ({
  Type: 'AWS::Lambda::Permission',
  Properties: { Action: 'lambda:InvokeFunction', FunctionName: arnOf(name), Principal: service },
});
const streamArn = { 'Fn::GetAtt': ['Table', 'StreamArn'] };
const objects = (keys: string) => ({ 'Fn::Join': ['', [arnOf('Bucket'), keys]] });
const table: [string[], unknown] = [['dynamodb:GetItem', 'dynamodb:PutItem'], arnOf('Table')];

const allowed = (service: string, action: string, keys: string) => ({
  Effect: 'Allow',
  Principal: { Service: service },
  Action: action,
  Resource: objects(keys),
});
const apiEndpoint = { 'Fn::GetAtt': ['Api', 'ApiEndpoint'] };
const [cachingOptimized, cachingDisabled] = [
  '658327ea-f89d-4fab-a63d-7e88639e58f6',
  '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
];
const allExceptHost = 'b689b0a8-53d0-40ab-baf2-68738e2966ac';

const resources = {
  Table: {
    Type: 'AWS::DynamoDB::Table',
    Properties: {
      TableName: 'notes',
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      StreamSpecification: { StreamViewType: 'NEW_IMAGE' },
    },
  },
  Bucket: {
    Type: 'AWS::S3::Bucket',
    Properties: {
      BucketName: 'media',
      NotificationConfiguration: { EventBridgeConfiguration: { EventBridgeEnabled: true } },
      LifecycleConfiguration: { Rules: [{ Status: 'Enabled', Prefix: 'work/', ExpirationInDays: 7 }] },
    },
  },
  setupRole: role(table, ['ssm:PutParameter', 'arn:aws:ssm:local-1:000000000000:parameter/small/*']),
  apiRole: role(table, ['ecs:RunTask', { Ref: 'Task' }]),
  storedRole: role(table),
  tickRole: role(table),
  changedRole: role(
    table,
    [['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'], streamArn],
    ['dynamodb:ListStreams', '*'],
  ),
  EventsRole: role(['states:StartExecution', { Ref: 'Machine' }]),
  MachineRole: role(['lambda:InvokeFunction', arnOf('Stored')]),
  Setup: lambda('setup', { PARAMETER_PREFIX: '/small' }),
  Answer: lambda('api', { TASK_DEFINITION: { Ref: 'Task' } }),
  Stored: lambda('stored'),
  Tick: lambda('tick'),
  Changed: lambda('changed'),
  Changes: {
    Type: 'AWS::Lambda::EventSourceMapping',
    Properties: {
      FunctionName: { Ref: 'Changed' },
      EventSourceArn: streamArn,
      StartingPosition: 'TRIM_HORIZON',
      FilterCriteria: {
        Filters: [{ Pattern: JSON.stringify({ dynamodb: { NewImage: { pk: { S: [{ prefix: 'admin' }] } } } }) }],
      },
    },
  },
  BucketPolicy: {
    Type: 'AWS::S3::BucketPolicy',
    Properties: {
      Bucket: { Ref: 'Bucket' },
      PolicyDocument: {
        Statement: [
          allowed('cloudfront.amazonaws.com', 's3:GetObject', '/videos/*'),
          allowed('delivery.logs.amazonaws.com', 's3:PutObject', '/logs/edge/*'),
        ],
      },
    },
  },
  Distribution: {
    Type: 'AWS::CloudFront::Distribution',
    Properties: {
      DistributionConfig: {
        Enabled: true,
        Origins: [
          { Id: 'api', DomainName: { 'Fn::Select': [2, { 'Fn::Split': ['/', apiEndpoint] }] }, CustomOriginConfig: {} },
          {
            Id: 'files',
            DomainName: { 'Fn::GetAtt': ['Bucket', 'RegionalDomainName'] },
            S3OriginConfig: {},
            OriginAccessControlId: 'access',
          },
        ],
        CacheBehaviors: [{ PathPattern: '/videos/*', TargetOriginId: 'files', CachePolicyId: cachingOptimized }],
        DefaultCacheBehavior: {
          TargetOriginId: 'api',
          CachePolicyId: cachingDisabled,
          OriginRequestPolicyId: allExceptHost,
          AllowedMethods: ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'POST', 'DELETE'],
        },
      },
    },
  },
  LogSource: {
    Type: 'AWS::Logs::DeliverySource',
    Properties: { Name: 'edge', ResourceArn: arnOf('Distribution'), LogType: 'ACCESS_LOGS' },
  },
  LogDestination: {
    Type: 'AWS::Logs::DeliveryDestination',
    Properties: { Name: 'logs', OutputFormat: 'json', DestinationResourceArn: objects('/logs/edge') },
  },
  LogDelivery: {
    Type: 'AWS::Logs::Delivery',
    Properties: {
      DeliverySourceName: 'edge',
      DeliveryDestinationArn: arnOf('LogDestination'),
      RecordFields: ['cs-uri-stem', 'sc-status', 'sc-bytes', 'c-ip'],
      S3SuffixPath: '{yyyy}',
    },
  },
  Api: { Type: 'AWS::ApiGatewayV2::Api', Properties: { ProtocolType: 'HTTP' } },
  Integration: {
    Type: 'AWS::ApiGatewayV2::Integration',
    Properties: { IntegrationUri: arnOf('Answer'), PayloadFormatVersion: '2.0' },
  },
  Route: {
    Type: 'AWS::ApiGatewayV2::Route',
    Properties: {
      ApiId: { Ref: 'Api' },
      RouteKey: '$default',
      Target: { 'Fn::Join': ['', ['integrations/', { Ref: 'Integration' }]] },
    },
  },
  AnswerPermission: permission('Answer', 'apigateway.amazonaws.com'),
  TickPermission: permission('Tick', 'events.amazonaws.com'),
  Machine: {
    Type: 'AWS::StepFunctions::StateMachine',
    Properties: {
      StateMachineName: 'small',
      RoleArn: arnOf('MachineRole'),
      DefinitionString: {
        'Fn::Join': [
          '',
          [
            '{"QueryLanguage":"JSONata","StartAt":"Store","States":{"Store":{"Type":"Task","End":true,"Resource":"arn:aws:states:::lambda:invoke","Arguments":{"FunctionName":"',
            arnOf('Stored'),
            '","Payload":{"key":"{% $states.input.detail.object.key %}","reason":"{% $states.input.detail.reason %}"}}}}}',
          ],
        ],
      },
    },
  },
  Uploaded: {
    Type: 'AWS::Events::Rule',
    Properties: {
      EventPattern: { source: ['aws.s3'], detail: { object: { key: [{ prefix: 'uploads/' }] } } },
      Targets: [{ Id: 'T', Arn: { Ref: 'Machine' }, RoleArn: arnOf('EventsRole') }],
    },
  },
  Refused: {
    Type: 'AWS::Events::Rule',
    Properties: {
      EventPattern: { source: ['aws.s3'], detail: { object: { key: [{ prefix: 'refused/' }] } } },
      // This role may not start the state machine.
      Targets: [
        {
          Id: 'T',
          Arn: { Ref: 'Machine' },
          RoleArn: arnOf('tickRole'),
          DeadLetterConfig: { Arn: arnOf('DeadLetters') },
        },
      ],
    },
  },
  DeadLetters: { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'dead-letters' } },
  DeadLettersPolicy: {
    Type: 'AWS::SQS::QueuePolicy',
    Properties: {
      Queues: [{ Ref: 'DeadLetters' }],
      PolicyDocument: {
        Statement: [
          {
            Effect: 'Allow',
            Principal: { Service: 'events.amazonaws.com' },
            Action: 'sqs:SendMessage',
            Resource: arnOf('DeadLetters'),
            Condition: { ArnEquals: { 'aws:SourceArn': arnOf('Refused') } },
          },
        ],
      },
    },
  },
  Minute: {
    Type: 'AWS::Events::Rule',
    Properties: { ScheduleExpression: 'rate(1 minute)', Targets: [{ Id: 'T', Arn: arnOf('Tick') }] },
  },
  Task: {
    Type: 'AWS::ECS::TaskDefinition',
    Metadata: { 'embedded-aws:container-entry': 'worker.mjs' },
    Properties: { Family: 'worker', ContainerDefinitions: [{ Name: 'worker' }] },
  },
};

/** Writes a cloud assembly with one resource of each supported type. */
export async function writeSmallAssembly(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const write = (file: string, content: object) => writeFile(join(folder, file), JSON.stringify(content));
  await write('manifest.json', {
    artifacts: {
      small: {
        type: 'aws:cloudformation:stack',
        properties: { templateFile: 'small.template.json', stackName: 'small' },
      },
      'small.assets': { type: 'cdk:asset-manifest', properties: { file: 'small.assets.json' } },
    },
  });
  await write('small.assets.json', {
    files: { code: { source: { path: 'code' }, destinations: { here: { objectKey: 'code.zip' } } } },
  });
  await write('small.template.json', {
    Resources: resources,
    Outputs: {
      SetupFunctionName: { Value: { Ref: 'Setup' } },
      BucketName: { Value: { Ref: 'Bucket' } },
    },
  });
  await writeFile(join(folder, 'worker.mjs'), worker);
  await build({
    stdin: { contents: handlers, resolveDir: import.meta.dirname },
    outfile: join(folder, 'code/index.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
  });
}
