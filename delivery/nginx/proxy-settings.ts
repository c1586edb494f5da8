/** The settings of a proxy node, from which its files are generated. */
export type ProxySettings = {
  ulid: string;
  /** The host name of the certificate and of the signed URLs. */
  hostname: string;
  /** A CDN in front caches the objects: the node has no cache, and its responses tell the CDN how long to cache. */
  cdnMode: boolean;
  bucket: string;
  region: string;
  /** Address of a store other than S3, such as `http://127.0.0.1:3001`; the bucket is then in the path. */
  endpoint?: string;
  /** The same for the parameter store; default: `endpoint`. */
  parametersEndpoint?: string;
  /**
   * The folder with the sockets `store` and `parameters` of a service on the same machine. Its loopback address is not
   * that of the container; the endpoints above are still what requests are signed for.
   */
  sockets?: string;
  /** Full name of the parameter with the signing keys, which the node reads every minute. */
  keysParameter: string;
  /** The current signing keys: base64url secrets by key ID. */
  keys: Record<string, string>;
  /** For a store without short-lived credentials. On AWS the node's host has credentials. */
  credentials?: { accessKeyId: string; secretAccessKey: string };
  paths?: Partial<ProxyPaths>;
};

/** Paths and addresses on the node's machine. The defaults are those of the container image. */
export type ProxyPaths = {
  /** Contains `delivery/proxy` and `delivery/urls` with the njs modules. */
  code: string;
  modules: string;
  /**
   * Files that `tick.sh` creates from the node's files and from fetched keys and credentials. Deleted with the
   * container.
   */
  run: string;
  /** Contains the cached objects, and one empty file for each denied video. */
  cache: string;
  logs: string;
  certificate: string;
  certificateKey: string;
  /** Contains the files for the ACME HTTP-01 challenge, in `.well-known/acme-challenge`. */
  challenges: string;
  /**
   * Addresses in the form of nginx's `listen`. Without `https`, files are delivered over HTTP: for tests, and for a
   * machine behind a TLS proxy.
   */
  http: string;
  https: string | undefined;
  /** Before 1.25.1, HTTP/2 was a parameter of nginx's `listen`, which later versions warn about. */
  hasHttp2Directive: boolean;
  /** The cache keeps this much of the disk free. */
  freeDiskBytes: number;
};

export const containerPaths: ProxyPaths = {
  code: '/opt/video-service',
  modules: '/usr/lib/nginx/modules',
  run: '/tmp/video-service',
  cache: '/var/cache/nginx',
  logs: '/var/log/nginx',
  certificate: '/etc/video-service-tls/certificate.pem',
  certificateKey: '/etc/video-service-tls/key.pem',
  challenges: '/var/lib/acme',
  http: '8080',
  https: '8443',
  hasHttp2Directive: true,
  freeDiskBytes: 5 * 2 ** 30,
};

export type ResolvedProxySettings = Omit<ProxySettings, 'paths'> & { paths: ProxyPaths };

/** Where the step `start` mounts the sockets of a service on the same machine. */
export const socketsInContainer = '/run/video-service-sockets';

/** In the volume of the cache, so that they exist as long as the cached objects. */
export const cachedObjects = ({ cache }: Pick<ProxyPaths, 'cache'>): string => `${cache}/objects`;
export const deniedVideos = ({ cache }: Pick<ProxyPaths, 'cache'>): string => `${cache}/denied`;
