import { deliveryServers } from './delivery-servers.ts';
import { originServer } from './origin-server.ts';
import type { ResolvedProxySettings } from './proxy-settings.ts';

/** The whole configuration of a proxy node. */
export function nginxConf(node: ResolvedProxySettings): string {
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
