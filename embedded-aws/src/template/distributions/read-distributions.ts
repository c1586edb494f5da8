import { z } from 'zod';
import type { DeployedTemplate } from '../deployed-template.ts';
import { distributionDomain } from '../resource-identity.ts';
import {
  type CachePolicy,
  cachePolicyConfig,
  managedCachePolicies,
  managedOriginRequestPolicies,
  managedResponseHeadersPolicies,
  type OriginRequestPolicy,
  originRequestPolicyConfig,
  type ResponseHeadersPolicy,
  responseHeadersPolicyConfig,
} from './cloudfront-policies.ts';

const readMethods = ['GET', 'HEAD'];

const behaviourProperties = z.object({
  TargetOriginId: z.string(),
  AllowedMethods: z.array(z.string()).default(readMethods),
  CachedMethods: z.array(z.string()).default(readMethods),
  Compress: z.boolean().default(false),
  CachePolicyId: z.string(),
  OriginRequestPolicyId: z.string().optional(),
  ResponseHeadersPolicyId: z.string().optional(),
  FunctionAssociations: z.array(z.object({ EventType: z.string(), FunctionARN: z.string() })).default([]),
});

const originProperties = z.object({
  Id: z.string(),
  DomainName: z.string(),
  OriginPath: z.string().default(''),
  OriginAccessControlId: z.string().optional(),
  S3OriginConfig: z.unknown().optional(),
  CustomOriginConfig: z.unknown().optional(),
  OriginCustomHeaders: z.array(z.object({ HeaderName: z.string(), HeaderValue: z.string() })).default([]),
});

const distributionProperties = z.object({
  DistributionConfig: z.object({
    Enabled: z.boolean(),
    Aliases: z.array(z.string()).default([]),
    Origins: z.array(originProperties),
    DefaultCacheBehavior: behaviourProperties,
    CacheBehaviors: z.array(behaviourProperties.extend({ PathPattern: z.string() })).default([]),
    CustomErrorResponses: z
      .array(
        // Error pages are not supported: they would replace the errors of the API.
        z.strictObject({ ErrorCode: z.number(), ErrorCachingMinTTL: z.number().optional() }),
      )
      .default([]),
  }),
});

const functionProperties = z.object({
  FunctionCode: z.string(),
  FunctionConfig: z.object({
    Runtime: z.literal('cloudfront-js-2.0'),
    KeyValueStoreAssociations: z.array(z.object({ KeyValueStoreARN: z.string() })).default([]),
  }),
});

export type EdgeFunctionDefinition = { arn: string; code: string; keyValueStoreArn: string | undefined };

export type OriginDefinition = {
  id: string;
  domainName: string;
  /** Precedes the path of each request. */
  path: string;
  kind: 's3' | 'custom';
  /** Whether CloudFront signs its requests to the bucket. */
  signs: boolean;
  /** Added to each request, by name in lower case. They replace headers of the viewer. */
  headers: Record<string, string>;
};

export type BehaviourDefinition = {
  pathPattern: string;
  originId: string;
  allowedMethods: string[];
  cachedMethods: string[];
  compress: boolean;
  cachePolicy: CachePolicy;
  originRequestPolicy: OriginRequestPolicy | undefined;
  responseHeadersPolicy: ResponseHeadersPolicy | undefined;
  viewerRequest: EdgeFunctionDefinition | undefined;
  viewerResponse: EdgeFunctionDefinition | undefined;
};

export type DistributionDefinition = ReturnType<typeof readDistributions>[number];

/** The distributions of a template. The default behaviour is the last one, with the pattern `*`. */
export function readDistributions(template: DeployedTemplate) {
  const find = createFinder(template);
  return template.resources('AWS::CloudFront::Distribution').map(({ ref, arn, properties }) => {
    const { DistributionConfig: config } = distributionProperties.parse(properties);
    const behaviours = [...config.CacheBehaviors, { ...config.DefaultCacheBehavior, PathPattern: '*' }];
    return {
      id: ref,
      arn,
      domainName: distributionDomain(ref),
      enabled: config.Enabled,
      origins: config.Origins.map(originOf),
      behaviours: behaviours.map((one): BehaviourDefinition => {
        const functionOf = (eventType: string) =>
          find.edgeFunction(one.FunctionAssociations.find(({ EventType }) => EventType === eventType)?.FunctionARN);
        return {
          pathPattern: one.PathPattern,
          originId: one.TargetOriginId,
          allowedMethods: one.AllowedMethods,
          cachedMethods: one.CachedMethods,
          compress: one.Compress,
          cachePolicy: find.cachePolicy(one.CachePolicyId),
          originRequestPolicy: find.originRequestPolicy(one.OriginRequestPolicyId),
          responseHeadersPolicy: find.responseHeadersPolicy(one.ResponseHeadersPolicyId),
          viewerRequest: functionOf('viewer-request'),
          viewerResponse: functionOf('viewer-response'),
        };
      }),
      /** Seconds for which an error is cached, by status. */
      errorSeconds: new Map(
        config.CustomErrorResponses.flatMap(({ ErrorCode, ErrorCachingMinTTL }) =>
          ErrorCachingMinTTL === undefined ? [] : [[ErrorCode, ErrorCachingMinTTL] as const],
        ),
      ),
    };
  });
}

/** The ARNs of the key-value stores of a template. */
export const readKeyValueStores = (template: DeployedTemplate): string[] =>
  template.resources('AWS::CloudFront::KeyValueStore').map(({ arn }) => arn);

const originOf = (origin: z.output<typeof originProperties>): OriginDefinition => ({
  id: origin.Id,
  domainName: origin.DomainName,
  path: origin.OriginPath,
  kind: origin.S3OriginConfig === undefined ? 'custom' : 's3',
  signs: Boolean(origin.OriginAccessControlId),
  headers: Object.fromEntries(
    origin.OriginCustomHeaders.map(({ HeaderName, HeaderValue }) => [HeaderName.toLowerCase(), HeaderValue]),
  ),
});

/** Finds functions and policies of the template, and policies that AWS manages, by what behaviours refer to. */
function createFinder(template: DeployedTemplate) {
  const configs = <Config>(type: string, name: string, parse: (value: unknown) => Config): [string, Config][] =>
    template
      .resources(`AWS::CloudFront::${type}`)
      .map(({ ref, properties }) => [ref, parse((properties as Record<string, unknown>)[name])]);
  const cachePolicies = new Map([
    ...managedCachePolicies,
    ...configs('CachePolicy', 'CachePolicyConfig', cachePolicyConfig.parse),
  ]);
  const originRequestPolicies = new Map([
    ...managedOriginRequestPolicies,
    ...configs('OriginRequestPolicy', 'OriginRequestPolicyConfig', originRequestPolicyConfig.parse),
  ]);
  const responseHeadersPolicies = new Map([
    ...managedResponseHeadersPolicies,
    ...configs('ResponseHeadersPolicy', 'ResponseHeadersPolicyConfig', responseHeadersPolicyConfig.parse),
  ]);
  const functions = new Map(
    template.resources('AWS::CloudFront::Function').map(({ arn, properties }): [string, EdgeFunctionDefinition] => {
      const { FunctionCode, FunctionConfig } = functionProperties.parse(properties);
      const [store] = FunctionConfig.KeyValueStoreAssociations;
      return [arn, { arn, code: FunctionCode, keyValueStoreArn: store?.KeyValueStoreARN }];
    }),
  );
  return {
    cachePolicy: (id: string) => required(cachePolicies, id),
    originRequestPolicy: (id: string | undefined) => id && required(originRequestPolicies, id),
    responseHeadersPolicy: (id: string | undefined) => id && required(responseHeadersPolicies, id),
    edgeFunction: (arn: string | undefined) => arn && required(functions, arn),
  } as {
    cachePolicy: (id: string) => CachePolicy;
    originRequestPolicy: (id: string | undefined) => OriginRequestPolicy | undefined;
    responseHeadersPolicy: (id: string | undefined) => ResponseHeadersPolicy | undefined;
    edgeFunction: (arn: string | undefined) => EdgeFunctionDefinition | undefined;
  };
}

function required<Value>(known: ReadonlyMap<string, Value>, id: string): Value {
  const found = known.get(id);
  if (found === undefined) throw new Error(`The embedded CloudFront does not know the policy or function ${id}.`);
  return found;
}
