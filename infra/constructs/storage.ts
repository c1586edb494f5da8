import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AttributeType, BillingMode, ProjectionType, StreamViewType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type CfnBucket,
  HttpMethods,
  type IBucket,
  type LifecycleRule,
} from 'aws-cdk-lib/aws-s3';
import { Construct, type IDependable } from 'constructs';
import { edgeLogsPrefix, type samplesPrefix, videosPrefix } from '../../shared/object-keys.ts';
import { tableIndexes } from '../../shared/table-indexes.ts';
import type { Settings } from '../settings.ts';
import type { TableAccess } from '../table-access.ts';
import type { TableStream } from './events/table-stream.ts';
import type { Resource } from './function.ts';

/** Key prefixes by permission. A permission that is not listed is not granted. */
export type BucketAccess = { [Right in keyof typeof bucketRights | keyof typeof listRights]?: readonly Prefix[] };
type Prefix =
  | 'ingest/'
  | 'uploads/'
  | 'videos/'
  | 'plans/'
  | 'images/'
  | 'work/'
  | 'work/*/posters/'
  | 'logs/'
  | 'logs/edge/'
  | 'logs/access/edge/'
  | typeof samplesPrefix
  | 'videos/*/public'
  | 'videos/*.m3u8'
  | 'videos/*.mpd'
  | 'videos/*/captions/';

const tableRights = {
  read: ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query', 'dynamodb:ConditionCheckItem'],
  write: ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem', 'dynamodb:BatchWriteItem'],
} as const;

const bucketRights = {
  read: ['s3:GetObject'],
  write: ['s3:PutObject'],
  remove: ['s3:DeleteObject'],
  tag: ['s3:PutObjectTagging'],
  readTags: ['s3:GetObjectTagging'],
  /** start, sign, complete and abort multipart uploads */
  multipart: ['s3:PutObject', 's3:AbortMultipartUpload'],
  /** list the parts of a multipart upload */
  parts: ['s3:ListMultipartUploadParts'],
  /** abort multipart uploads whose ID is known */
  abort: ['s3:AbortMultipartUpload'],
  /** find and abort multipart uploads of workers */
  abandon: ['s3:AbortMultipartUpload'],
} as const;

/** Permissions on the bucket; `list` is restricted to a prefix. */
const listRights = { list: 's3:ListBucket', abandon: 's3:ListBucketMultipartUploads' } as const;

/** The table and the bucket. */
export class Storage extends Construct {
  readonly table: Resource<TableAccess>;
  readonly bucket: Resource<BucketAccess>;
  readonly stream: TableStream;
  readonly tableName: string;
  readonly bucketName: string;
  /** Address of the bucket for browsers, without a trailing slash. */
  readonly bucketUrl: string;
  /** The bucket as an origin of the edge. */
  readonly origin: IBucket;
  readonly #bucket: Bucket;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    const table = this.#table(settings);
    const bucket = this.#makeBucket(settings);
    this.#bucket = bucket;
    // Without access to the bucket's policy, into which the CDK would write a permission for all objects.
    this.origin = Bucket.fromBucketAttributes(this, 'Origin', {
      bucketArn: bucket.bucketArn,
      bucketRegionalDomainName: bucket.bucketRegionalDomainName,
    });
    this.tableName = table.tableName;
    this.bucketName = bucket.bucketName;
    this.bucketUrl = `https://${bucket.bucketRegionalDomainName}`;
    this.stream = { arn: table.tableStreamArn!, tableArn: table.tableArn };
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
      stream: StreamViewType.NEW_IMAGE,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: settings.keepData,
      removalPolicy: removalPolicy(settings),
    });
    // Sparse, and with keys only: a list operation reads a page of keys from the index, then the items by key.
    for (const [indexName, { partitionKey, sortKey }] of Object.entries(tableIndexes)) {
      table.addGlobalSecondaryIndex({
        indexName,
        partitionKey: { name: partitionKey, type: AttributeType.STRING },
        sortKey: { name: sortKey, type: AttributeType.STRING },
        projectionType: ProjectionType.KEYS_ONLY,
      });
    }
    return table;
  }

  /**
   * Lets a distribution read the files of videos. With s3:ListBucket, S3 answers 404 for a missing object instead of
   * 403. The policy names the distribution and the distribution names the bucket, which is no circle: the policy is a
   * resource of its own.
   */
  deliverTo(distributionArn: string): void {
    const principals = [new ServicePrincipal('cloudfront.amazonaws.com')];
    const conditions = { StringEquals: { 'aws:SourceArn': distributionArn } };
    for (const [action, resource] of [
      ['s3:GetObject', this.#bucket.arnForObjects(`${videosPrefix}*`)],
      ['s3:ListBucket', this.#bucket.bucketArn],
    ] as const) {
      this.#bucket.addToResourcePolicy(
        new PolicyStatement({ principals, actions: [action], resources: [resource], conditions }),
      );
    }
  }

  /** The model of speech, for the function that signs its URL for workers. */
  speechModel({ model, sha256 }: NonNullable<Settings['transcription']>): Resource<'read'> {
    return {
      environment: { TRANSCRIPTION_MODEL_KEY: model, TRANSCRIPTION_MODEL_SHA256: sha256 },
      statements: () => [
        new PolicyStatement({ actions: ['s3:GetObject'], resources: [this.#bucket.arnForObjects(model)] }),
      ],
    };
  }

  /** What has to exist before a service of AWS uses the bucket. */
  get bucketPolicy(): IDependable {
    return this.#bucket.policy!;
  }

  /** Lets CloudWatch deliver logs of one source below a prefix. Returns the ARN by which it knows the place. */
  receiveLogs(prefix: string, source: string): string {
    const { account, partition } = Stack.of(this);
    const principals = [new ServicePrincipal('delivery.logs.amazonaws.com')];
    const conditions = {
      StringEquals: { 'aws:SourceAccount': account },
      // Log delivery of CloudFront is configured in this region, whatever the region of the stack.
      ArnLike: { 'aws:SourceArn': `arn:${partition}:logs:us-east-1:${account}:delivery-source:${source}` },
    };
    const owned = { ...conditions.StringEquals, 's3:x-amz-acl': 'bucket-owner-full-control' };
    for (const [action, resource, StringEquals] of [
      ['s3:GetBucketAcl', this.#bucket.bucketArn, conditions.StringEquals],
      ['s3:PutObject', this.#bucket.arnForObjects(`${prefix}*`), owned],
    ] as const) {
      this.#bucket.addToResourcePolicy(
        new PolicyStatement({
          principals,
          actions: [action],
          resources: [resource],
          conditions: { ...conditions, StringEquals },
        }),
      );
    }
    return this.#bucket.arnForObjects(prefix.replace(/\/$/, ''));
  }

  #makeBucket(settings: Settings): Bucket {
    const bucket = new Bucket(this, 'Bucket', {
      ...physicalName(settings, 'bucketName'),
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      ...(settings.noncurrentVersionDays !== null && { versioned: true }),
      removalPolicy: removalPolicy(settings),
      cors: [
        {
          allowedMethods: [HttpMethods.PUT, HttpMethods.POST, HttpMethods.GET, HttpMethods.HEAD],
          // A presigned URL authorises the request by itself, so the origin is no protection. Pages of direct uploads
          // have origins that no setting names.
          allowedOrigins: ['*'],
          allowedHeaders: ['*'],
          // Without access to ETag, Uppy 5 never finishes a part.
          exposedHeaders: ['ETag', 'Location'],
          maxAge: 3000,
        },
      ],
      lifecycleRules: [
        { id: 'unfinished-uploads', abortIncompleteMultipartUploadAfter: Duration.days(settings.workFileDays) },
        { id: 'work-files', prefix: 'work/', expiration: Duration.days(settings.workFileDays) },
        // They contain signatures, and are converted within minutes. This is for those that could not be converted.
        { id: 'edge-logs', prefix: edgeLogsPrefix, expiration: Duration.days(14) },
        { id: 'access-logs', prefix: 'logs/', expiration: Duration.days(settings.accessLogDays) },
        ...noncurrentVersions(settings),
      ],
    });
    // The option eventBridgeEnabled of the construct deploys a Lambda for what CloudFormation can do itself.
    (bucket.node.defaultChild as CfnBucket).notificationConfiguration = {
      eventBridgeConfiguration: { eventBridgeEnabled: true },
    };
    return bucket;
  }
}

/** Removes noncurrent versions, and delete markers whose object has no other version left. */
const noncurrentVersions = ({ noncurrentVersionDays: days }: Settings): LifecycleRule[] =>
  days === null
    ? []
    : [
        {
          id: 'noncurrent-versions',
          noncurrentVersionExpiration: Duration.days(days),
          expiredObjectDeleteMarker: true,
        },
      ];

const removalPolicy = (settings: Settings): RemovalPolicy =>
  settings.keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;

const physicalName = (settings: Settings, property: 'tableName' | 'bucketName') =>
  settings.fixedNames ? { [property]: `video-service-${settings.stage}` } : {};

const tableResource = (table: Table): Resource<TableAccess> => ({
  environment: { TABLE_NAME: table.tableName },
  statements: ({ read = [], write = [], indexes = [] }) => [
    ...itemStatement(table, tableRights.read, [...read, ...write]),
    ...itemStatement(table, tableRights.write, write),
    ...indexes.map(
      (name) => new PolicyStatement({ actions: ['dynamodb:Query'], resources: [`${table.tableArn}/index/${name}`] }),
    ),
  ],
});

/**
 * Restricts actions to the items of these partition keys. The condition is also true for a request without a key, so
 * none of the actions may be one that has no key, such as Scan.
 */
function itemStatement({ tableArn }: Table, actions: readonly string[], prefixes: readonly string[]) {
  if (prefixes.length === 0) return [];
  const patterns = [...new Set(prefixes)].map((prefix) => (prefix.endsWith('#') ? `${prefix}*` : prefix)).toSorted();
  const conditions = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': patterns } };
  return [new PolicyStatement({ actions: [...actions], resources: [tableArn], conditions })];
}

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
      const statement = { actions: [listRights[right]], resources: [bucket.bucketArn] };
      // ListMultipartUploads has no condition key for the prefix.
      if (right === 'abandon') return [new PolicyStatement(statement)];
      // IfExists: a request for one object has no prefix. Without s3:ListBucket, S3 answers 403 for a missing object.
      const conditions = { StringLikeIfExists: { 's3:prefix': prefixes } };
      return [new PolicyStatement({ ...statement, conditions })];
    }),
  ],
});

const keysOf = <T extends object>(record: T): (keyof T)[] => Object.keys(record) as (keyof T)[];
