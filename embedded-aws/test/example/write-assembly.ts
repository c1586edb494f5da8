import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const code = `
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';

export async function handler({ key }) {
  const { Body } = await new S3Client().send(new GetObjectCommand({ Bucket: process.env.BUCKET, Key: key }));
  const words = (await Body.transformToString()).split(' ').length;
  const Item = { key: { S: key }, words: { N: String(words) } };
  await new DynamoDBClient().send(new PutItemCommand({ TableName: process.env.TABLE, Item }));
}
`;

const allow = (action: string, resource: unknown) => ({ Effect: 'Allow', Action: action, Resource: resource });

const template = {
  Resources: {
    Letters: { Type: 'AWS::S3::Bucket', Properties: { BucketName: 'letters' } },
    Words: {
      Type: 'AWS::DynamoDB::Table',
      Properties: {
        TableName: 'words',
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [{ AttributeName: 'key', KeyType: 'HASH' }],
        AttributeDefinitions: [{ AttributeName: 'key', AttributeType: 'S' }],
      },
    },
    Role: {
      Type: 'AWS::IAM::Role',
      Properties: {
        AssumeRolePolicyDocument: {
          Statement: [{ Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: 'lambda.amazonaws.com' } }],
        },
        Policies: [
          {
            PolicyName: 'access',
            PolicyDocument: {
              Statement: [
                allow('s3:GetObject', { 'Fn::Join': ['', [{ 'Fn::GetAtt': ['Letters', 'Arn'] }, '/*']] }),
                allow('dynamodb:PutItem', { 'Fn::GetAtt': ['Words', 'Arn'] }),
              ],
            },
          },
        ],
      },
    },
    CountWords: {
      Type: 'AWS::Lambda::Function',
      Properties: {
        FunctionName: 'count-words',
        Runtime: 'nodejs24.x',
        Handler: 'index.handler',
        Timeout: 30,
        Code: { S3Bucket: 'assets', S3Key: 'count-words.zip' },
        Role: { 'Fn::GetAtt': ['Role', 'Arn'] },
        Environment: { Variables: { BUCKET: { Ref: 'Letters' }, TABLE: { Ref: 'Words' } } },
      },
    },
  },
};

/** Writes the cloud assembly of a stack with a function, a table and a bucket, as `cdk synth` would. */
export async function writeAssembly(folder: string): Promise<void> {
  await mkdir(join(folder, 'asset.count-words'), { recursive: true });
  await writeFile(join(folder, 'asset.count-words/index.mjs'), code);
  const files = {
    'words.template.json': template,
    'words.assets.json': {
      files: {
        code: { source: { path: 'asset.count-words' }, destinations: { here: { objectKey: 'count-words.zip' } } },
      },
    },
    'manifest.json': {
      artifacts: {
        words: { type: 'aws:cloudformation:stack', properties: { templateFile: 'words.template.json' } },
        'words.assets': { type: 'cdk:asset-manifest', properties: { file: 'words.assets.json' } },
      },
    },
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), JSON.stringify(content));
}
