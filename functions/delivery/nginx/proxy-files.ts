import { nginxConf } from './nginx-conf.ts';
import { containerPaths, type ProxySettings } from './proxy-settings.ts';

/**
 * The files of a proxy node by name, for the folder `/etc/video-service` of its container: `nginx.conf` and two secrets, `signing-keys.json` and, for
 * a store without short-lived credentials, `credentials.json`. They follow from the node alone. New keys and credentials are taken up within a
 * minute, a new configuration by `nginx -s reload`.
 * @throws for a node whose values could mean something else in a configuration file than a value
 */
export function proxyFiles(node: ProxySettings): Record<string, string> {
  const placed = { ...node, paths: { ...containerPaths, ...node.paths } };
  for (const [name, form] of Object.entries(forms)) {
    const value = String(node[name as keyof typeof forms] ?? '');
    if (!form.test(value)) throw new Error(`no ${name} of a proxy: ${value}`);
  }
  return {
    'nginx.conf': nginxConf(placed),
    'signing-keys.json': JSON.stringify(node.keys),
    ...(node.credentials && { 'credentials.json': JSON.stringify(node.credentials) }),
  };
}

const forms = {
  ulid: /^[0-9A-HJKMNP-TV-Z]{26}$/,
  hostname: /^[A-Za-z0-9.-]+(:\d+)?$/,
  bucket: /^[a-z0-9.-]+$/,
  region: /^[a-z0-9-]+$/,
  endpoint: /^(https?:\/\/[A-Za-z0-9.-]+(:\d+)?)?$/,
  parametersEndpoint: /^(https?:\/\/[A-Za-z0-9.-]+(:\d+)?)?$/,
  keysParameter: /^[A-Za-z0-9_./-]+$/,
} satisfies Partial<Record<keyof ProxySettings, RegExp>>;
