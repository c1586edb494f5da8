import type { ResponseHeadersPolicy } from '../../template/distributions/cloudfront-policies.ts';

// https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/understanding-response-headers-policies.html

export type ResponseHeaders = Record<string, string | string[]>;
type RequestHeaders = { method: string; origin: string | undefined; requestsMethod: boolean };

type Fixed = { name: string; value: string; override: boolean };

/** Compiles a response headers policy to a function that changes the headers of a response. */
export function compileHeadersPolicy(
  policy: ResponseHeadersPolicy | undefined,
): (headers: ResponseHeaders, request: RequestHeaders) => void {
  if (!policy) return () => {};
  const removed = policy.RemoveHeadersConfig?.Items.map(({ Header }) => Header.toLowerCase()) ?? [];
  const fixed = [...securityHeaders(policy.SecurityHeadersConfig), ...customHeaders(policy.CustomHeadersConfig)];
  const cors = policy.CorsConfig;
  return (headers, request) => {
    for (const name of removed) delete headers[name];
    for (const { name, value, override } of fixed) {
      if (override || headers[name] === undefined) headers[name] = value;
    }
    if (cors && request.origin !== undefined)
      addCorsHeaders(headers, cors, request as RequestHeaders & { origin: string });
  };
}

function securityHeaders(config: ResponseHeadersPolicy['SecurityHeadersConfig']): Fixed[] {
  const { ContentSecurityPolicy, ContentTypeOptions, FrameOptions, ReferrerPolicy, StrictTransportSecurity } =
    config ?? {};
  const fixed = (name: string, value: string | undefined, given: { Override: boolean } | undefined): Fixed[] =>
    given && value !== undefined ? [{ name, value, override: given.Override }] : [];
  const transport = StrictTransportSecurity && [
    `max-age=${StrictTransportSecurity.AccessControlMaxAgeSec}`,
    ...(StrictTransportSecurity.IncludeSubdomains ? ['includeSubDomains'] : []),
    ...(StrictTransportSecurity.Preload ? ['preload'] : []),
  ];
  return [
    ...fixed('content-security-policy', ContentSecurityPolicy?.ContentSecurityPolicy, ContentSecurityPolicy),
    ...fixed('x-content-type-options', 'nosniff', ContentTypeOptions),
    ...fixed('x-frame-options', FrameOptions?.FrameOption, FrameOptions),
    ...fixed('referrer-policy', ReferrerPolicy?.ReferrerPolicy, ReferrerPolicy),
    ...fixed('strict-transport-security', transport?.join('; '), StrictTransportSecurity),
  ];
}

const customHeaders = (config: ResponseHeadersPolicy['CustomHeadersConfig']): Fixed[] =>
  (config?.Items ?? []).map(({ Header, Value, Override }) => ({
    name: Header.toLowerCase(),
    value: Value,
    override: Override,
  }));

/** CloudFront adds them only if the request has an Origin header. */
function addCorsHeaders(
  headers: ResponseHeaders,
  cors: NonNullable<ResponseHeadersPolicy['CorsConfig']>,
  { method, origin, requestsMethod }: RequestHeaders & { origin: string },
): void {
  const hasOwn = Object.keys(headers).some((name) => name.startsWith('access-control-'));
  if (hasOwn && !cors.OriginOverride) return;
  const origins = cors.AccessControlAllowOrigins;
  const anyOrigin = origins.includes('*');
  if (!anyOrigin && !origins.includes(origin)) return;
  headers['access-control-allow-origin'] = anyOrigin ? '*' : origin;
  if (!anyOrigin) headers.vary = 'Origin';
  if (cors.AccessControlAllowCredentials) headers['access-control-allow-credentials'] = 'true';
  if (method === 'OPTIONS' && requestsMethod) {
    headers['access-control-allow-methods'] = cors.AccessControlAllowMethods.join(', ');
    headers['access-control-allow-headers'] = cors.AccessControlAllowHeaders.join(', ');
    if (cors.AccessControlMaxAgeSec !== undefined)
      headers['access-control-max-age'] = String(cors.AccessControlMaxAgeSec);
  } else if (cors.AccessControlExposeHeaders) {
    headers['access-control-expose-headers'] = cors.AccessControlExposeHeaders.join(', ');
  }
}
