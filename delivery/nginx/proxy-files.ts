import { deliveryServers } from './delivery-servers.ts';
import { originServer } from './origin-server.ts';
import { containerPaths, type ProxySettings, type ResolvedProxySettings } from './proxy-settings.ts';

/**
 * The files of a proxy node by name, for the folder `/etc/video-service` of its container: `nginx.conf` and two
 * secrets, `signing-keys.json` and, for a store without short-lived credentials, `credentials.json`. They depend only
 * on the settings. The node reads new keys and credentials within a minute, and a new configuration at `nginx -s
 * reload`.
 * @throws for settings that contain configuration syntax instead of plain values
 */
export function proxyFiles(node: ProxySettings): Record<string, string> {
  const resolved = { ...node, paths: { ...containerPaths, ...node.paths } };
  for (const [name, format] of Object.entries(formats)) {
    const value = String(node[name as keyof typeof formats] ?? '');
    if (!format.test(value)) throw new Error(`invalid ${name} of a proxy: ${value}`);
  }
  return {
    'nginx.conf': nginxConf(resolved),
    'signing-keys.json': JSON.stringify(node.keys),
    ...(node.credentials && { 'credentials.json': JSON.stringify(node.credentials) }),
  };
}

const formats = {
  ulid: /^[0-9A-HJKMNP-TV-Z]{26}$/,
  hostname: /^[A-Za-z0-9.-]+(:\d+)?$/,
  bucket: /^[a-z0-9.-]+$/,
  region: /^[a-z0-9-]+$/,
  endpoint: /^(https?:\/\/[A-Za-z0-9.-]+(:\d+)?)?$/,
  parametersEndpoint: /^(https?:\/\/[A-Za-z0-9.-]+(:\d+)?)?$/,
  sockets: /^[A-Za-z0-9._/-]*$/,
  keysParameter: /^[A-Za-z0-9_./-]+$/,
} satisfies Partial<Record<keyof ProxySettings, RegExp>>;

/** The whole configuration of a proxy node. */
function nginxConf(node: ResolvedProxySettings): string {
  const { modules, run } = node.paths;
  return `load_module ${modules}/ngx_http_js_module.so;
worker_processes auto;
worker_rlimit_nofile 16384;
# After a change of keys or configuration, the old workers finish their requests.
worker_shutdown_timeout 10m;
pcre_jit on;
pid ${run}/nginx.pid;
error_log stderr crit;

events {
  worker_connections 8192;
}

http {
  server_tokens off;
  client_body_temp_path ${run}/body;
  proxy_temp_path ${run}/proxy;
  fastcgi_temp_path ${run}/fastcgi;
  uwsgi_temp_path ${run}/uwsgi;
  scgi_temp_path ${run}/scgi;

${indent(originServer(node))}

${indent(deliveryServers(node))}
}
`;
}

const indent = (text: string): string => text.replace(/^(?=.)/gm, '  ');
