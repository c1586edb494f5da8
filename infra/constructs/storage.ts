import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, ProjectionType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, type CfnBucket, HttpMethods } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import type { Resource } from './function.ts';

export type TableAccess = 'read' | 'write';

/** Key prefixes that a function may do something with; what is not named it may not do. */
export type BucketAccess = { [Right in keyof typeof bucketRights | keyof typeof listRights]?: readonly Prefix[] };
type Prefix = 'uploads/' | 'videos/' | 'plans/' | 'work/' | 'logs/';

const tableRights = {
  read: ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query', 'dynamodb:ConditionCheckItem'],
  write: ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem', 'dynamodb:BatchWriteItem'],
} as const;

const bucketRights = {
  read: ['s3:GetObject'],
  write: ['s3:PutObject'],
  remove: ['s3:DeleteObject'],
  tag: ['s3:PutObjectTagging'],
  /** start, sign, complete and abort multipart uploads */
  multipart: ['s3:PutObject', 's3:AbortMultipartUpload'],
  /** see which parts of a multipart upload are there */
  parts: ['s3:ListMultipartUploadParts'],
  /** drop what others have uploaded in parts */
  abandon: ['s3:AbortMultipartUpload'],
} as const;

/** Rights to the bucket itself, for what lies below a prefix. */
const listRights = { list: 's3:ListBucket', abandon: 's3:ListBucketMultipartUploads' } as const;

/** The one table, the one bucket and the names of the parameters. */
export class Storage extends Construct {
  readonly table: Resource<TableAccess>;
  readonly bucket: Resource<BucketAccess>;
  readonly tableName: string;
  readonly bucketName: string;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    const table = this.#table(settings);
    const bucket = this.#bucket(settings);
    this.tableName = table.tableName;
    this.bucketName = bucket.bucketName;
    this.table = tableResource(table);
    this.bucket = bucketResource(bucket);
  }

  #table(settings: Settings): Table {
    const table = new Table(this, 'Table', {
      ...physicalName(settings, 'tableName'),
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      timeToLiveAttribute: 'expiresAt',
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: settings.keepData,
      removalPolicy: removalPolicy(settings),
    });
    // All sparse and keys only: a list reads the keys of a page here and the items by their keys.
    for (const [indexName, partitionKey, sortKey] of [
      ['byOwner', 'ownerKey', 'ownerSort'],
      ['queue', 'queueShard', 'queueOrder'],
      ['leases', 'leaseHolder', 'leaseExpiresAt'],
    ] as const) {
      table.addGlobalSecondaryIndex({
        indexName,
        partitionKey: { name: partitionKey, type: AttributeType.STRING },
        sortKey: { name: sortKey, type: AttributeType.STRING },
        projectionType: ProjectionType.KEYS_ONLY,
      });
    }
    return table;
  }

  #bucket(settings: Settings): Bucket {
    const bucket = new Bucket(this, 'Bucket', {
      ...physicalName(settings, 'bucketName'),
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      removalPolicy: removalPolicy(settings),
      cors: [
        {
          allowedMethods: [HttpMethods.PUT, HttpMethods.POST, HttpMethods.GET, HttpMethods.HEAD],
          // A presigned URL is the whole right to a request, so that an origin adds nothing; S3 refuses an empty list.
          allowedOrigins: settings.allowedOrigins.length > 0 ? settings.allowedOrigins : ['*'],
          allowedHeaders: ['*'],
          // Without ETag in a page's reach Uppy 5 waits for a part for ever.
          exposedHeaders: ['ETag', 'Location'],
          maxAge: 3000,
        },
      ],
      lifecycleRules: [
        { id: 'unfinished-uploads', abortIncompleteMultipartUploadAfter: Duration.days(settings.workFileDays) },
        { id: 'work-files', prefix: 'work/', expiration: Duration.days(settings.workFileDays) },
        { id: 'access-logs', prefix: 'logs/', expiration: Duration.days(settings.accessLogDays) },
      ],
    });
    // The construct's own eventBridgeEnabled deploys a custom resource with a Lambda for what CloudFormation can do itself.
    (bucket.node.defaultChild as CfnBucket).notificationConfiguration = {
      eventBridgeConfiguration: { eventBridgeEnabled: true },
    };
    return bucket;
  }
}

const removalPolicy = (settings: Settings): RemovalPolicy =>
  settings.keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;

const physicalName = (settings: Settings, property: 'tableName' | 'bucketName') =>
  settings.fixedNames ? { [property]: `video-service-${settings.stage}` } : {};

const tableResource = (table: Table): Resource<TableAccess> => ({
  environment: { TABLE_NAME: table.tableName },
  statements: (access) => [
    new PolicyStatement({
      actions: access === 'read' ? [...tableRights.read] : [...tableRights.read, ...tableRights.write],
      resources: [table.tableArn],
    }),
    new PolicyStatement({ actions: ['dynamodb:Query'], resources: [`${table.tableArn}/index/*`] }),
  ],
});

const bucketResource = (bucket: Bucket): Resource<BucketAccess> => ({
  environment: { BUCKET_NAME: bucket.bucketName },
  statements: (access) => [
    ...keysOf(bucketRights).flatMap((right) => {
      const resources = (access[right] ?? []).map((prefix) => bucket.arnForObjects(`${prefix}*`));
      return resources.length > 0 ? [new PolicyStatement({ actions: [...bucketRights[right]], resources })] : [];
    }),
    ...keysOf(listRights).flatMap((right) => {
      const prefixes = (access[right] ?? []).map((prefix) => `${prefix}*`);
      if (prefixes.length === 0) return [];
      // IfExists: a request for one object has no prefix, and without the right to list S3 answers 403 for an object that is not there.
      const conditions = { StringLikeIfExists: { 's3:prefix': prefixes } };
      return [new PolicyStatement({ actions: [listRights[right]], resources: [bucket.bucketArn], conditions })];
    }),
  ],
});

const keysOf = <T extends object>(record: T): (keyof T)[] => Object.keys(record) as (keyof T)[];
