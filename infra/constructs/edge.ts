import { Annotations, CustomResource, Duration, Fn, Stack } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import * as cloudfront from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin, S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { edgeLogsPrefix } from '../../shared/object-keys.ts';
import { assetsPath } from '../../shared/site-manifest.ts';
import { edgeFunctionCode } from '../edge/function-code.ts';
import { assetCache, fileCache, fileHeaders, pageHeaders } from '../edge/policies.ts';
import type { Settings } from '../settings.ts';
import type { Api } from './api.ts';
import { type Resource, ServiceFunction } from './function.ts';
import { parameters } from './parameters.ts';
import type { Storage } from './storage.ts';

export type EdgeOptions = { settings: Settings; storage: Storage; api: Api };

/** Text files below a video. CloudFront compresses them; media would lose their ranges. */
const textFiles = ['*.m3u8', '*.mpd', '*.vtt'];
const apiPaths = ['/api/*', '/login', '/logout', '/register', '/health', '/docs'];

/**
 * The CloudFront distribution of the stage: signed and public files from the bucket, everything else from the API. Its
 * functions check signatures with the keys in a key value store. Missing files are S3's 404, and there are no error
 * pages, because those would also replace the 403 and 404 of the API.
 */
export class Edge extends Construct {
  /** address of the edge, without a trailing slash */
  readonly url: string;
  /** Where functions write signing keys, deleted videos and public videos. */
  readonly keys: Resource<KeyAccess>;
  /** By which the API knows requests of the distribution. */
  readonly originSecret: Resource<'read' | 'write'>;
  readonly distribution: cloudfront.Distribution;
  /** name of the function that checks requests for files */
  readonly checkFunctionName: string;
  readonly #nameOf: (part: string) => string;

  constructor(scope: Construct, id: string, options: EdgeOptions) {
    super(scope, id);
    const { settings, storage } = options;
    // CloudFront's names are those of the account, so a stage of the same name in another region needs others.
    this.#nameOf = (part) => `video-${settings.stage}-${Stack.of(this).region}-${part}`;
    this.checkFunctionName = this.#nameOf('viewer-request');
    const store = new cloudfront.KeyValueStore(this, 'Keys', {
      keyValueStoreName: this.#nameOf('keys'),
      comment: `Signing keys, public and deleted videos of ${settings.stage}`,
    });
    this.keys = keysResource(store);
    this.originSecret = parameters(this, settings, 'origin-secret');
    this.distribution = this.#distribution(options, store);
    storage.deliverTo(this.distribution.distributionArn);
    // The warning that the CDK cannot write the policy of the bucket, which deliverTo has done.
    Annotations.of(this.distribution).acknowledgeWarning(updateImportedBucketPolicy, 'deliverTo adds the statements');
    this.#accessLog(options);
    this.url = `https://${settings.edge.domain?.name ?? this.distribution.distributionDomainName}`;
  }

  #distribution({ settings, storage, api }: EdgeOptions, store: cloudfront.KeyValueStore): cloudfront.Distribution {
    const { domain, priceClass, webAclArn } = settings.edge;
    const { files, texts } = this.#fileBehaviors(storage, store);
    const pages = this.#apiBehavior(settings, api);
    const paths = (folder: string) => [
      ...textFiles.map((pattern) => [`/${folder}/${pattern}`, texts] as const),
      [`/${folder}/*`, files] as const,
    ];
    return new cloudfront.Distribution(this, 'Distribution', {
      comment: `Video service, stage ${settings.stage}`,
      defaultBehavior: pages,
      additionalBehaviors: Object.fromEntries([
        ...['s', 'p'].flatMap(paths),
        ...apiPaths.map((path) => [path, pages] as const),
        [`${assetsPath}*`, this.#assetBehavior(pages)],
      ]),
      // Without this, CloudFront repeats an error of an origin for 10 s to everyone who asks for the path: a 403 of
      // the API to the next user, a 404 of a file that is there by then.
      errorResponses: cachedErrors.map((httpStatus) => ({ httpStatus, ttl: Duration.seconds(0) })),
      httpVersion: cloudfront.HttpVersion.HTTP2_AND_3,
      priceClass: priceClasses[priceClass],
      ...(webAclArn !== null && { webAclId: webAclArn }),
      ...(domain && {
        domainNames: [domain.name],
        certificate: Certificate.fromCertificateArn(this, 'Certificate', domain.certificateArn),
        // Without a custom domain, CloudFront sets the policy of *.cloudfront.net.
        minimumProtocolVersion: cloudfront.SecurityPolicyProtocol.TLS_V1_2_2021,
      }),
    });
  }

  #fileBehaviors(storage: Storage, store: cloudfront.KeyValueStore) {
    const check = this.#function('viewer-request', 'Checks signed and public URLs', store);
    const respond = this.#function('viewer-response', 'Names downloads');
    const access = new cloudfront.S3OriginAccessControl(this, 'Access', {
      originAccessControlName: this.#nameOf('bucket'),
      description: 'Reads the files of videos',
    });
    const behavior = {
      origin: S3BucketOrigin.withOriginAccessControl(storage.origin, { originAccessControl: access }),
      viewerProtocolPolicy: cloudfront.ViewerProtocolPolicy.HTTPS_ONLY,
      // The function refuses other methods, as proxies do.
      allowedMethods: cloudfront.AllowedMethods.ALLOW_ALL,
      responseHeadersPolicy: fileHeaders(this, this.#nameOf('files')),
    };
    const onRequest = { function: check, eventType: cloudfront.FunctionEventType.VIEWER_REQUEST };
    const onResponse = { function: respond, eventType: cloudfront.FunctionEventType.VIEWER_RESPONSE };
    return {
      texts: {
        ...behavior,
        compress: true,
        cachePolicy: fileCache(this, 'TextCache', { isText: true }),
        functionAssociations: [onRequest],
      },
      files: {
        ...behavior,
        compress: false,
        cachePolicy: fileCache(this, 'MediaCache', { isText: false }),
        functionAssociations: [onRequest, onResponse],
      },
    };
  }

  /** Without a cache. The origin gets all headers of the viewer except Host, by which the gateway finds the API. */
  #apiBehavior(settings: Settings, api: Api): cloudfront.BehaviorOptions {
    const address = this.#function('viewer-address', 'Passes the address of the viewer to the API');
    return {
      origin: new HttpOrigin(Fn.select(2, Fn.split('/', api.url)), {
        protocolPolicy: cloudfront.OriginProtocolPolicy.HTTPS_ONLY,
        originSslProtocols: [cloudfront.OriginSslPolicy.TLS_V1_2],
        customHeaders: { 'x-origin-secret': this.#originSecret(settings) },
      }),
      viewerProtocolPolicy: cloudfront.ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
      allowedMethods: cloudfront.AllowedMethods.ALLOW_ALL,
      cachePolicy: cloudfront.CachePolicy.CACHING_DISABLED,
      originRequestPolicy: cloudfront.OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      responseHeadersPolicy: pageHeaders(this, this.#nameOf('pages')),
      functionAssociations: [{ function: address, eventType: cloudfront.FunctionEventType.VIEWER_REQUEST }],
    };
  }

  /** Files of the site, which are the same for everyone and never change. */
  #assetBehavior({ origin, responseHeadersPolicy, viewerProtocolPolicy }: cloudfront.BehaviorOptions) {
    return {
      origin,
      viewerProtocolPolicy: viewerProtocolPolicy!,
      // The function refuses other methods.
      allowedMethods: cloudfront.AllowedMethods.ALLOW_ALL,
      cachePolicy: assetCache(this),
      responseHeadersPolicy: responseHeadersPolicy!,
      // The function has compressed what is worth it.
      compress: false,
    };
  }

  /**
   * The header by which the API knows requests of the distribution. CloudFront cannot read a SecureString, so a custom
   * resource creates the parameter and returns its value.
   */
  #originSecret(settings: Settings): string {
    const handler = new ServiceFunction(this, 'delivery/deployment/origin-secret', {
      settings,
      optional: true,
      size: 'step',
      description: 'Creates the secret by which the API knows requests of the distribution, at deployments',
    }).uses(this.originSecret, 'write');
    const resource = new CustomResource(this, 'OriginSecret', {
      resourceType: 'Custom::OriginSecret',
      serviceToken: handler.functionArn,
      serviceTimeout: handler.timeout!,
    });
    resource.node.addDependency(handler);
    return resource.getAttString('Value');
  }

  /**
   * Access logs in the bucket, where the function count-accesses converts and counts them. A stack outside of
   * us-east-1 cannot use CloudFormation's own resources for the logs of CloudFront, so a function creates them.
   */
  #accessLog({ settings, storage }: EdgeOptions): void {
    const { account, partition, region } = Stack.of(this);
    const name = `video-service-${settings.stage}-${region}`;
    const DestinationArn = storage.receiveLogs(edgeLogsPrefix, name);
    const arn = (type: string, id: string) => `arn:${partition}:logs:us-east-1:${account}:${type}:${id}`;
    const handler = new ServiceFunction(this, 'delivery/deployment/edge-log', {
      settings,
      optional: true,
      size: 'step',
      description: 'Sets up the delivery of the access log of the distribution, at deployments',
    });
    const { distributionArn } = this.distribution;
    const [source, destination] = [arn('delivery-source', name), arn('delivery-destination', name)];
    const allOf = (...verbs: string[]) => verbs.map((verb) => `logs:${verb}`);
    for (const [resources, actions] of [
      [[source], ['logs:PutDeliverySource']],
      [[destination], ['logs:PutDeliveryDestination']],
      // Each is checked for all the resources that it connects. AWS lists the destination for DeleteDeliverySource.
      [
        [source, destination, arn('delivery', '*')],
        [
          ...allOf('CreateDelivery', 'UpdateDeliveryConfiguration'),
          ...allOf('DeleteDelivery', 'DeleteDeliverySource', 'DeleteDeliveryDestination'),
        ],
      ],
      // It has no resource type.
      [['*'], ['logs:DescribeDeliveries']],
      [[distributionArn], ['cloudfront:AllowVendedLogDeliveryForResource']],
    ]) {
      handler.addToRolePolicy(new PolicyStatement({ actions: actions!, resources: resources! }));
    }
    const resource = new CustomResource(this, 'AccessLog', {
      resourceType: 'Custom::EdgeAccessLog',
      serviceToken: handler.functionArn,
      serviceTimeout: handler.timeout!,
      properties: { Name: name, DistributionArn: distributionArn, DestinationArn, RecordFields: accessLogFields },
    });
    // CloudWatch refuses a delivery to a bucket whose policy does not allow it.
    resource.node.addDependency(handler, storage.bucketPolicy);
  }

  #function(
    name: Parameters<typeof edgeFunctionCode>[0],
    comment: string,
    keyValueStore?: cloudfront.KeyValueStore,
  ): cloudfront.Function {
    return new cloudfront.Function(this, name, {
      functionName: this.#nameOf(name),
      comment,
      code: cloudfront.FunctionCode.fromInline(edgeFunctionCode(name)),
      runtime: cloudfront.FunctionRuntime.JS_2_0,
      ...(keyValueStore && { keyValueStore }),
    });
  }
}

const updateImportedBucketPolicy = '@aws-cdk/aws-cloudfront-origins:updateImportedBucketPolicyOac';

/** The errors that CloudFront caches by default. */
const cachedErrors = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];

/**
 * The path contains the session. It also contains the signature, which is removed when the log is converted, as is all
 * of the query except CMCD.
 */
const accessLogFields = [
  'date',
  'time',
  'c-ip',
  'cs-method',
  'cs-uri-stem',
  'cs-uri-query',
  'sc-status',
  'sc-bytes',
  'time-taken',
  'cs(User-Agent)',
];

const priceClasses = {
  PriceClass_100: cloudfront.PriceClass.PRICE_CLASS_100,
  PriceClass_200: cloudfront.PriceClass.PRICE_CLASS_200,
  PriceClass_All: cloudfront.PriceClass.PRICE_CLASS_ALL,
} as const;

/** What a function may do with the entries of the key value store. */
export type KeyAccess = keyof typeof keyRights;

const keyRights = {
  add: ['DescribeKeyValueStore', 'PutKey'],
  write: ['DescribeKeyValueStore', 'PutKey', 'DeleteKey'],
  /** many at a time, and removes what is not needed any more */
  maintain: ['DescribeKeyValueStore', 'DeleteKey', 'ListKeys', 'UpdateKeys'],
} as const;

const keysResource = (store: cloudfront.KeyValueStore): Resource<KeyAccess> => ({
  environment: { EDGE_KEY_VALUE_STORE_ARN: store.keyValueStoreArn },
  statements: (access) => [
    new PolicyStatement({
      actions: keyRights[access].map((right) => `cloudfront-keyvaluestore:${right}`),
      resources: [store.keyValueStoreArn],
    }),
  ],
});
