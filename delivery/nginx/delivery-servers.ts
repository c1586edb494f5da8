import { cmcdArgument } from '../urls/cmcd-argument.ts';
import { growingCacheControl, growingSeconds, revalidatedSeconds } from '../urls/delivered-headers.ts';
import { dispositionOf, downloadUrl } from '../urls/download-name.ts';
import { addPreflightHeaders, commonHeaders, preflightVariables } from './common-headers.ts';
import { deliveryLocations } from './delivery-locations.ts';
import { cachedObjects, type ProxyPaths, type ResolvedProxySettings } from './proxy-settings.ts';
import { signedUrlVariables } from './signed-url-check.ts';

/**
 * The servers that viewers reach: they verify each signed URL, and deliver from the cache or from the origin server's
 * socket.
 */
export function deliveryServers(node: ResolvedProxySettings): string {
  const { code, run, logs, http, https, hasHttp2Directive } = node.paths;
  const tlsListen = `${https} ssl ${hasHttp2Directive ? 'default_server;\n  http2 on' : 'http2 default_server'}`;
  return `${signedUrlVariables(node)}
${preflightVariables}
${downloads}${node.cdnMode ? cdnCaching : ''}${accessLog(node.ulid)}

limit_conn_zone $binary_remote_addr zone=clients:10m;
limit_conn_status 429;
upstream origin {
  server unix:${run}/origin.sock;
  keepalive 64;
}
${markerCache(node.paths)}
${node.cdnMode ? '' : ownCache(node.paths)}
server {
  listen ${https === undefined ? `${http} default_server` : tlsListen};
  # In this server only, since each request runs all modules in its scope.
  js_import delivery from ${code}/delivery/proxy/delivery.js;
  js_preload_object signingKeys from ${run}/signing-keys.json;
  js_set $url_check delivery.${node.cdnMode ? 'secondsLeft' : 'checkAndMark'};
  server_name ${node.hostname.split(':')[0]};
${https === undefined ? '' : tls(node.paths)}
  access_log ${logs}/access.jsonl delivery buffer=64k flush=5s if=$is_without_cmcd;
  access_log ${logs}/access.jsonl delivery_with_cmcd buffer=64k flush=5s if=$is_with_cmcd;

  ${node.cdnMode ? '# No limit per address: a CDN has few addresses.' : 'limit_conn clients 1000;'}
  client_max_body_size 1k;
  client_header_timeout 10s;
  client_body_timeout 10s;
  send_timeout 60s;
  keepalive_timeout 65s;
  keepalive_requests 100000;
  reset_timedout_connection on;
  # The slice module does not support several ranges in one response. Players request one range.
  max_ranges 1;
  sendfile on;
  tcp_nodelay on;
  # With tcp_nopush, a cached response on a keep-alive connection waits 40 ms for more data.
  tcp_nopush off;
  default_type application/json;

  location = /healthz {
    access_log off;
    if ($request_uri !~ ^/healthz(\\?|$)) {
      return 400 '{"message":"Not delivered: malformed path."}';
    }
    ${commonHeaders(https !== undefined)}
    add_header Cache-Control no-store always;
    # The service shares the viewers of a video among proxies by it.
    add_header X-Connections $connections_active;
    return 200 '{"status":"ok","node":"${node.ulid}"}';
  }

${deliveryLocations(node)}
  location @refused {
    ${commonHeaders(https !== undefined)}
    ${addPreflightHeaders}
    add_header Cache-Control no-store always;
    js_content delivery.refuse;
  }
${[
  ['missing', 404, 'Not found.'],
  ['outside', 416, 'The range is not within the file.'],
  ['busy', 429, 'Too many connections.'],
  ['failing', 502, 'The store does not respond.'],
]
  .map(
    ([name, status, message]) => `
  location @${name} {
    ${commonHeaders(https !== undefined)}
    add_header Cache-Control no-store always;
    return ${status} '{"message":"${message}"}';
  }`,
  )
  .join('')}
}
${https === undefined ? '' : plainServer(node)}`;
}

/**
 * The access log lines that are uploaded and counted. They do not contain the token of the URL, which grants access to
 * the video. Those of delivered files have the query argument CMCD, if the request has it. A condition is a variable of
 * its own, since nginx would leave out a line whose condition is the value 0.
 */
const accessLog = (ulid: string): string => `map $request_uri $refused_path {
  default -;
  '~^/s/[^/?]+(?<rest>/videos/[^?]{1,190})' /s/-$rest;
}
map $delivered $logged_signed_path {
  default /$url_object;
  '' $refused_path;
}
map $status $logged_public_path {
  default /videos/$public_video$public_path;
  404 /p/$public_video$public_path;
}
map $public_url $logged_path {
  default $logged_public_path;
  '' $logged_signed_path;
}
map "$logged_path $request_uri" $logged_cmcd {
  default '';
  '~^/videos/.*?${cmcdArgument.source}' $url_cmcd;
}
map $logged_cmcd $is_with_cmcd {
  default 1;
  '' 0;
}
map $logged_cmcd $is_without_cmcd {
  default 0;
  '' 1;
}
log_format delivery escape=json ${logFields(ulid)}}';
log_format delivery_with_cmcd escape=json ${logFields(ulid)},"cmcd":"$logged_cmcd"}';`;

const logFields = (
  ulid: string,
): string => `'{"time":"$time_iso8601","node":"${ulid}","method":"$request_method","path":"$logged_path",'
  '"session":"$delivered_session","status":$status,"bytes":$bytes_sent,"durationSeconds":$request_time,'
  '"remoteAddress":"$remote_addr","userAgent":"$http_user_agent"`;

const downloads = `map $request_uri $disposition {
  default '';
  '~${downloadUrl.source}' "${dispositionOf('$download_name').replaceAll('"', '\\"')}";
}
`;

/** A growing playlist is revalidated when players reload it. */
const sharedSeconds = (name: string, seconds: string): string =>
  `map $upstream_http_cache_control $${name}_shared_seconds {
  default ${seconds};
  '${growingCacheControl}' ${growingSeconds};
}`;

/**
 * A CDN revalidates files as often as a proxy does, and caches none beyond the lifetime of its URL: $delivered has the
 * remaining seconds.
 */
const cdnCaching = `map $delivered $delivered_shared_seconds {
  default ${revalidatedSeconds};
  '~^1?\\d$' $delivered;
}
${sharedSeconds('signed', '$delivered_shared_seconds')}
${sharedSeconds('public', String(revalidatedSeconds))}
`;

const markerCache = ({ run }: ProxyPaths): string =>
  `proxy_cache_path ${run}/public-markers keys_zone=public_markers:8m inactive=10m max_size=64m use_temp_path=off;`;

const ownCache = (paths: ProxyPaths): string =>
  `proxy_cache_path ${cachedObjects(paths)} levels=1:2 keys_zone=delivery:64m inactive=30d min_free=${paths.freeDiskBytes} use_temp_path=off;
open_file_cache max=10000 inactive=60s;
`;

const tls = ({ certificate, certificateKey }: ProxyPaths): string => `
  ssl_certificate ${certificate};
  ssl_certificate_key ${certificateKey};
  ssl_protocols TLSv1.2 TLSv1.3;
  ssl_session_cache shared:tls:10m;
  ssl_session_tickets off;
`;

/** Port 80 serves the ACME challenges and redirects everything else to HTTPS. */
const plainServer = ({ hostname, paths: { challenges, http } }: ResolvedProxySettings): string => `
server {
  listen ${http} default_server;
  access_log off;
  client_max_body_size 1k;
  location /.well-known/acme-challenge/ {
    root ${challenges};
    default_type text/plain;
  }
  location / {
    return 308 https://${hostname}$request_uri;
  }
}`;
