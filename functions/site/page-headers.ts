import { readEnvironment } from '../../shared/environment.ts';
import { type ContentPolicy, contentPolicy, referrerPolicy } from '../../shared/security-headers.ts';

const self = "'self'";

/** The policy of each page of the site that has not the policy of the dashboard. */
const policies: Record<string, () => ContentPolicy> = { docs: docsPolicy, 'docs-viewer': docsViewerPolicy };

/** The headers of a page, by the name that it has in the build. */
export function pageHeaders(page: string): Record<string, string> {
  return {
    'content-security-policy': contentPolicy((policies[page] ?? dashboardPolicy)()),
    'referrer-policy': referrerPolicy,
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': permissions,
  };
}

/**
 * The dashboard loads code from its own origin only. It plays videos from where they are delivered, and uploads. The
 * controls of the player are custom elements whose style sheets are in their markup, which needs `'unsafe-inline'` for
 * styles (muxinc/media-chrome#898).
 */
function dashboardPolicy(): ContentPolicy {
  const media = mediaSources();
  return {
    'script-src': [self],
    'style-src': [self, "'unsafe-inline'"],
    'img-src': [self, 'data:', 'blob:', ...media],
    'media-src': [self, 'blob:', ...media],
    'connect-src': [self, uploadOrigin(), ...media],
    'font-src': [self],
    'form-action': [self],
  };
}

/** The page around the viewer of the API documentation. It sends the requests of the viewer. */
function docsPolicy(): ContentPolicy {
  return {
    'script-src': [self],
    'style-src': [self],
    'img-src': [self, 'data:'],
    'connect-src': [self],
    'frame-src': [self],
  };
}

/**
 * The viewer is a large program of others, so it has an origin of its own (`sandbox`) and no network: it can reach
 * neither the session of this browser nor another host. It has inline styles, and icons as data URLs.
 */
function docsViewerPolicy(): ContentPolicy {
  return {
    'script-src': [self],
    'style-src': [self, "'unsafe-inline'"],
    'img-src': ['data:'],
    'frame-ancestors': [self],
    sandbox: ['allow-scripts', 'allow-forms', 'allow-popups', 'allow-downloads'],
  };
}

/**
 * Where videos are delivered from: the edge, and registered proxies, whose addresses change while a page is open. The
 * edge is named because a page from the address of the API itself also plays.
 */
function mediaSources(): string[] {
  const edgeUrl = readEnvironment('EDGE_URL');
  const edge = edgeUrl === undefined ? [] : [edgeUrl];
  if (!readEnvironment('USE_PROXIES')) return edge;
  // On one machine without TLS, proxies have none either.
  const isPlain = readEnvironment('API_URL').startsWith('http:');
  return [...edge, 'https:', ...(isPlain ? ['http:'] : [])];
}

function uploadOrigin(): string {
  const url =
    readEnvironment('AWS_ENDPOINT_URL_S3_PUBLIC') ??
    readEnvironment('AWS_ENDPOINT_URL_S3') ??
    readEnvironment('BUCKET_URL');
  return new URL(url).origin;
}

/** Features of browsers that pages of the site use on themselves only, or not at all. */
const permissions = [
  'autoplay=(self)',
  'clipboard-write=(self)',
  'fullscreen=(self)',
  'picture-in-picture=(self)',
  'camera=()',
  'display-capture=()',
  'geolocation=()',
  'microphone=()',
  'payment=()',
  'usb=()',
].join(', ');
