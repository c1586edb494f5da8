import { acceptedEncodings } from '../../http/accepted-encodings.ts';
import type { CachePolicy, Selection } from '../../template/distributions/cloudfront-policies.ts';
import type { BehaviourDefinition, OriginDefinition } from '../../template/distributions/read-distributions.ts';
import type { EventRequest, EventValues } from '../functions/function-event.ts';

// https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/controlling-origin-requests.html
// https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/cache-key-understand-cache-policy.html

export type Forwarding = {
  request: EventRequest;
  behaviour: Pick<BehaviourDefinition, 'cachePolicy' | 'originRequestPolicy'>;
  origin: Pick<OriginDefinition, 'headers'>;
  /** The name of the origin, which is its Host header unless the policy forwards that of the viewer. */
  host: string;
  viewer: { address: string; port: number };
  distribution: { id: string };
  requestId: string;
};

/** Headers of one connection, which are never forwarded. */
const ofConnection = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** What the policies of a behaviour send to its origin. */
export function forwardedRequest(forwarding: Forwarding): { rawHeaders: string[]; query: string } {
  const { request, behaviour, origin, host, viewer, distribution, requestId } = forwarding;
  const { cachePolicy, originRequestPolicy } = behaviour;
  const forwardsHeader = headerSelector(forwarding.behaviour);
  const rawHeaders: string[] = [];
  for (const [name, one] of Object.entries(request.headers)) {
    const isOwn = ofConnection.has(name) || name === 'x-forwarded-for' || name === 'via' || name in origin.headers;
    if (isOwn || name.startsWith('cloudfront-') || !forwardsHeader(name)) continue;
    if (name === 'accept-encoding' && cachePolicy.encodings.length > 0) continue;
    for (const { value } of one.multiValue ?? [one]) rawHeaders.push(name, value);
  }
  const encodings = normalizedEncodings(request, cachePolicy);
  if (encodings !== '') rawHeaders.push('accept-encoding', encodings);
  // Names are at even places. A value may be the same word.
  const has = (name: string): boolean => rawHeaders.some((text, index) => index % 2 === 0 && text === name);
  if (!has('host')) rawHeaders.push('host', host);
  if (!has('user-agent')) rawHeaders.push('user-agent', 'Amazon CloudFront');
  const length = request.headers['content-length'];
  if (length && !has('content-length')) rawHeaders.push('content-length', length.value);
  const forwarded = request.headers['x-forwarded-for'];
  rawHeaders.push(
    'x-forwarded-for',
    [...(forwarded ? [forwarded.value] : []), viewer.address].join(', '),
    'via',
    `1.1 ${distribution.id.toLowerCase()}.cloudfront.net (CloudFront)`,
    'x-amz-cf-id',
    requestId,
  );
  const wanted = [...cachePolicy.headers, ...(originRequestPolicy?.headers.names ?? [])];
  const forbids = originRequestPolicy?.headers.behaviour === 'allExcept';
  if (!forbids && wanted.includes('cloudfront-viewer-address')) {
    rawHeaders.push('cloudfront-viewer-address', `${viewer.address}:${viewer.port}`);
  }
  const cookies = selected(request.cookies, [cachePolicy.cookies, originRequestPolicy?.cookies]);
  if (cookies.length > 0) rawHeaders.push('cookie', cookies.map(([name, value]) => `${name}=${value}`).join('; '));
  for (const [name, value] of Object.entries(origin.headers)) rawHeaders.push(name, value);
  const queries = selected(request.querystring, [cachePolicy.queryStrings, originRequestPolicy?.queryStrings]);
  return { rawHeaders, query: queries.map(([name, value]) => (value === '' ? name : `${name}=${value}`)).join('&') };
}

/** Whether a header of the viewer is sent to the origin. */
function headerSelector({ cachePolicy, originRequestPolicy }: Forwarding['behaviour']): (name: string) => boolean {
  const { behaviour = 'none', names = [] } = originRequestPolicy?.headers ?? {};
  return (name) => {
    if (cachePolicy.headers.includes(name)) return true;
    if (behaviour === 'allViewer' || behaviour === 'allViewerAndWhitelistCloudFront') return true;
    if (behaviour === 'allExcept') return !names.includes(name);
    return behaviour === 'whitelist' && names.includes(name);
  };
}

/** The values that at least one selection names. */
function selected(values: EventValues, selections: (Selection | undefined)[]): [name: string, value: string][] {
  return Object.entries(values)
    .filter(([name]) => selections.some((selection) => selection && selects(selection, name)))
    .flatMap(([name, one]) => (one.multiValue ?? [one]).map(({ value }): [string, string] => [name, value]));
}

function selects({ behaviour, names }: Selection, name: string): boolean {
  if (behaviour === 'all') return true;
  return behaviour !== 'none' && names.includes(name) === (behaviour === 'whitelist');
}

/** The key of the cache: the path, and what the cache policy adds to it. */
export function cacheKey(originId: string, request: EventRequest, { cachePolicy }: Forwarding['behaviour']): string {
  const queries = selected(request.querystring, [cachePolicy.queryStrings]);
  const cookies = selected(request.cookies, [cachePolicy.cookies]);
  const headers = cachePolicy.headers.map((name) => request.headers[name]?.value ?? '');
  const parts = queries.length + cookies.length + headers.length > 0 ? JSON.stringify([queries, cookies, headers]) : '';
  return `${originId} ${request.uri} ${normalizedEncodings(request, cachePolicy)} ${parts}`;
}

/** Accept-Encoding as the cache key and the origin have it: the encodings of the policy that the viewer accepts. */
const normalizedEncodings = ({ headers }: EventRequest, { encodings }: CachePolicy): string =>
  acceptedEncodings(encodings, headers['accept-encoding']?.value).join(',');
