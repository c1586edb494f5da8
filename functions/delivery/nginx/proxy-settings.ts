/** What the files of a proxy node are made of. */
export type ProxySettings = {
  ulid: string;
  /** The name that the certificate is for and that links have. */
  hostname: string;
  /** A CDN in front has the copies: the node keeps none and tells the CDN for how long it may. */
  cdnMode: boolean;
  bucket: string;
  region: string;
  /** Where the store is reached when it is not AWS's own, such as `http://127.0.0.1:3001`; the bucket is then in the path. */
  endpoint?: string;
  /** The same of the parameter store; where the store is unless given. */
  parametersEndpoint?: string;
  /** Full name of the parameter that holds the signing keys, which the node reads again every minute. */
  keysParameter: string;
  /** The signing keys as they are now: base64url secrets by key id. */
  keys: Record<string, string>;
  /** For a store without short-lived credentials; on AWS the node's host has them. */
  credentials?: { accessKeyId: string; secretAccessKey: string };
  paths?: Partial<ProxyPaths>;
};

/** Where things are on the node's machine, unless otherwise said that of the image. */
export type ProxyPaths = {
  /** Holds `infra/proxy` and `shared` with the njs modules. */
  code: string;
  modules: string;
  /** What `tick.sh` puts together from the files of the node and what it learns: keys and credentials. Gone with the container. */
  run: string;
  cache: string;
  logs: string;
  certificate: string;
  certificateKey: string;
  /** Has what a certificate authority wants to see, in `.well-known/acme-challenge`. */
  challenges: string;
  /** Addresses as nginx's `listen` takes them. Without `https`, files are delivered over HTTP: for tests, and for a machine whose TLS ends elsewhere. */
  http: string;
  https: string | undefined;
  /** The cache leaves this much of the disk free. */
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
  freeDiskBytes: 5 * 2 ** 30,
};

export type ResolvedProxySettings = Omit<ProxySettings, 'paths'> & { paths: ProxyPaths };
