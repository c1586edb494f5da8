import { z } from 'zod';

// https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/using-managed-cache-policies.html

/** Names are lower case if they name headers. */
const named = z.array(z.string()).default([]);
const lowerCased = named.transform((names) => names.map((name) => name.toLowerCase()));

const behaviour = z.enum(['none', 'whitelist', 'allExcept', 'all']);
export type Selection = { behaviour: z.output<typeof behaviour>; names: string[] };

const queryStrings = z
  .object({ QueryStringBehavior: behaviour, QueryStrings: named })
  .transform((one): Selection => ({ behaviour: one.QueryStringBehavior, names: one.QueryStrings }));
const cookies = z
  .object({ CookieBehavior: behaviour, Cookies: named })
  .transform((one): Selection => ({ behaviour: one.CookieBehavior, names: one.Cookies }));

export const cachePolicyConfig = z
  .object({
    MinTTL: z.number(),
    DefaultTTL: z.number(),
    MaxTTL: z.number(),
    ParametersInCacheKeyAndForwardedToOrigin: z.object({
      EnableAcceptEncodingGzip: z.boolean(),
      EnableAcceptEncodingBrotli: z.boolean().default(false),
      HeadersConfig: z.object({ HeaderBehavior: z.enum(['none', 'whitelist']), Headers: lowerCased }),
      CookiesConfig: cookies,
      QueryStringsConfig: queryStrings,
    }),
  })
  .transform(({ MinTTL, DefaultTTL, MaxTTL, ParametersInCacheKeyAndForwardedToOrigin: key }) => ({
    minSeconds: MinTTL,
    defaultSeconds: DefaultTTL,
    maxSeconds: MaxTTL,
    /** The encodings in which CloudFront compresses, the preferred one first. */
    encodings: [
      ...(key.EnableAcceptEncodingBrotli ? (['br'] as const) : []),
      ...(key.EnableAcceptEncodingGzip ? (['gzip'] as const) : []),
    ],
    /** What is part of the cache key in addition to the path. It is also sent to the origin. */
    headers: key.HeadersConfig.Headers,
    cookies: key.CookiesConfig,
    queryStrings: key.QueryStringsConfig,
  }));
export type CachePolicy = z.output<typeof cachePolicyConfig>;

export const originRequestPolicyConfig = z
  .object({
    HeadersConfig: z.object({
      HeaderBehavior: z.enum(['none', 'whitelist', 'allViewer', 'allViewerAndWhitelistCloudFront', 'allExcept']),
      Headers: lowerCased,
    }),
    CookiesConfig: cookies,
    QueryStringsConfig: queryStrings,
  })
  .transform(({ HeadersConfig, CookiesConfig, QueryStringsConfig }) => ({
    headers: { behaviour: HeadersConfig.HeaderBehavior, names: HeadersConfig.Headers },
    cookies: CookiesConfig,
    queryStrings: QueryStringsConfig,
  }));
export type OriginRequestPolicy = z.output<typeof originRequestPolicyConfig>;

const items = z.object({ Items: z.array(z.string()) }).transform(({ Items }) => Items);
const override = { Override: z.boolean() };
const maxAge = z.number();

export const responseHeadersPolicyConfig = z.object({
  CorsConfig: z
    .object({
      AccessControlAllowCredentials: z.boolean(),
      AccessControlAllowHeaders: items,
      AccessControlAllowMethods: items,
      AccessControlAllowOrigins: items,
      AccessControlExposeHeaders: items.optional(),
      AccessControlMaxAgeSec: maxAge.optional(),
      OriginOverride: z.boolean(),
    })
    .optional(),
  CustomHeadersConfig: z
    .object({ Items: z.array(z.object({ Header: z.string(), Value: z.string(), ...override })) })
    .optional(),
  RemoveHeadersConfig: z.object({ Items: z.array(z.object({ Header: z.string() })) }).optional(),
  SecurityHeadersConfig: z
    .object({
      ContentSecurityPolicy: z.object({ ContentSecurityPolicy: z.string(), ...override }).optional(),
      ContentTypeOptions: z.object(override).optional(),
      FrameOptions: z.object({ FrameOption: z.string(), ...override }).optional(),
      ReferrerPolicy: z.object({ ReferrerPolicy: z.string(), ...override }).optional(),
      StrictTransportSecurity: z
        .object({
          AccessControlMaxAgeSec: maxAge,
          IncludeSubdomains: z.boolean().default(false),
          Preload: z.boolean().default(false),
          ...override,
        })
        .optional(),
    })
    .optional(),
});
export type ResponseHeadersPolicy = z.output<typeof responseHeadersPolicyConfig>;

const none: Selection = { behaviour: 'none', names: [] };
const all: Selection = { behaviour: 'all', names: [] };
const keyOfPath = { headers: [], cookies: none, queryStrings: none };
const uncached = { minSeconds: 0, defaultSeconds: 0, maxSeconds: 0 };
const cached = { minSeconds: 1, defaultSeconds: 86_400, maxSeconds: 31_536_000 };

/** The policies that AWS manages, by id: CachingDisabled, CachingOptimized and that for uncompressed objects. */
export const managedCachePolicies: [string, CachePolicy][] = [
  ['4135ea2d-6df8-44a3-9df3-4b5a84be39ad', { ...uncached, encodings: [], ...keyOfPath }],
  ['658327ea-f89d-4fab-a63d-7e88639e58f6', { ...cached, encodings: ['br', 'gzip'], ...keyOfPath }],
  ['b2884449-e4de-46a7-ac36-70bc7f1ddd6d', { ...cached, encodings: [], ...keyOfPath }],
];

/** AllViewer and AllViewerExceptHostHeader. */
export const managedOriginRequestPolicies: [string, OriginRequestPolicy][] = [
  [
    '216adef6-5c7f-47e4-b989-5492eafa07d3',
    { headers: { behaviour: 'allViewer', names: [] }, cookies: all, queryStrings: all },
  ],
  [
    'b689b0a8-53d0-40ab-baf2-68738e2966ac',
    { headers: { behaviour: 'allExcept', names: ['host'] }, cookies: all, queryStrings: all },
  ],
];

const securityHeaders = {
  ContentTypeOptions: { Override: true },
  FrameOptions: { FrameOption: 'SAMEORIGIN', Override: false },
  ReferrerPolicy: { ReferrerPolicy: 'strict-origin-when-cross-origin', Override: false },
  StrictTransportSecurity: {
    AccessControlMaxAgeSec: 31_536_000,
    IncludeSubdomains: false,
    Preload: false,
    Override: false,
  },
};

/** SecurityHeadersPolicy. */
export const managedResponseHeadersPolicies: [string, ResponseHeadersPolicy][] = [
  ['67f7725c-6f97-4210-82d7-5512b31e9d03', { SecurityHeadersConfig: securityHeaders }],
];
