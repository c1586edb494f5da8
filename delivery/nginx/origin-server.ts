import { createHash } from 'node:crypto';
import { contentTypes } from '../../shared/media/content-types.ts';
import { accessLogPrefix } from '../../shared/object-keys.ts';
import {
  foreverSeconds,
  growingCacheControl,
  growingSeconds,
  immutable,
  replaceableSeconds,
} from '../urls/delivered-headers.ts';
import type { ResolvedProxySettings } from './proxy-settings.ts';

/**
 * The server that sends requests to AWS and signs them with the node's credentials. It listens on a socket that only
 * this node's processes reach. It is separate from the delivery server because a variable has one value for all slices
 * of a request, and each slice of a long download needs a new signature.
 */
export function originServer(node: ResolvedProxySettings): string {
  const { ulid, bucket, region, endpoint, parametersEndpoint = endpoint, sockets, keysParameter, paths } = node;
  const store = upstream('store', endpoint ?? `https://${bucket}.s3.${region}.amazonaws.com`, sockets);
  const parameters = upstream('parameters', parametersEndpoint ?? `https://ssm.${region}.amazonaws.com`, sockets);
  const bucketPath = endpoint === undefined ? '' : `/${bucket}`;
  const parameterRequest = JSON.stringify({ Name: keysParameter, WithDecryption: true });

  return `${store.block}
${parameters.block}
# By the file name, since the store's content type is what the encoder sent.
map $uri $delivered_type {
  default application/octet-stream;
${Object.entries(contentTypes)
  .map(([extension, type]) => `  '~\\.${extension}$' '${type}';`)
  .join('\n')}
}
# The service stores manifests with the header: those of running outputs are replaced every few seconds.
map $upstream_http_cache_control $stored_caching {
  default 'public, max-age=${replaceableSeconds}';
  '~^public, max-age=[0-9]+$' $upstream_http_cache_control;
}
map $upstream_http_cache_control $growing_seconds {
  default '';
  '${growingCacheControl}' ${growingSeconds};
}
map $uri $delivered_caching {
  default $stored_caching;
  '~${immutable.source}' 'public, max-age=${foreverSeconds}, immutable';
}
server {
  listen unix:${paths.run}/origin.sock;
  js_import origin from ${paths.code}/delivery/proxy/origin.js;
  js_preload_object credentials from ${paths.run}/credentials.json;
  js_set $origin_date origin.date;
  js_set $origin_token origin.token;
  js_set $origin_authorization origin.authorization;
  access_log off;
  # Only in this server, since an error line contains the request line, which in the delivery server includes the token.
  error_log stderr warn;

  location /videos/ {
    set $origin_method $request_method;
    set $origin_path ${bucketPath}$uri;
    ${signedRequest({ region, service: 's3', ...store, payload: 'UNSIGNED-PAYLOAD' })}
    proxy_set_header Range $http_range;
    proxy_set_header If-Range $http_if_range;
    proxy_set_header If-None-Match $http_if_none_match;
    proxy_set_header If-Modified-Since $http_if_modified_since;
    proxy_next_upstream error timeout http_500 http_502 http_503 http_504;
    proxy_next_upstream_tries 2;
    proxy_max_temp_file_size 0;
    # The response headers are set here and cached with the object, so that they are not set again for each delivery.
    ${hiddenHeaders}
    add_header Content-Type $delivered_type;
    add_header Cache-Control $delivered_caching;
    # The cache of the delivery server keeps a growing playlist no longer than players do.
    add_header X-Accel-Expires $growing_seconds;
    proxy_intercept_errors on;
    # Without the permission to list the bucket, S3 responds to a missing key with 403.
    error_page 403 404 = @missing;
    # S3 responds with 400 to expired credentials.
    error_page 400 401 405 500 501 502 = @failing;
  }

  # Access logs are uploaded by PUT. Their keys are built here. An existing object is not overwritten: then an earlier
  # attempt was successful, and the response is 412.
  location ~ ^/access-logs/(?<log_name>[0-9TZ.-]+\\.jsonl\\.gz)$ {
    client_max_body_size 0;
    proxy_request_buffering off;
    set $origin_method PUT;
    set $origin_path ${bucketPath}/${accessLogPrefix(ulid)}$log_name;
    ${signedRequest({ region, service: 's3', ...store, payload: 'UNSIGNED-PAYLOAD' })}
    proxy_set_header If-None-Match *;
    proxy_set_header Content-Type application/gzip;
  }

  location = /signing-keys {
    js_content origin.freshSigningKeys;
  }
  location = /parameter {
    internal;
    set $origin_method POST;
    set $origin_path /;
    ${signedRequest({ region, service: 'ssm', ...parameters, target: 'AmazonSSM.GetParameter', payload: sha256(parameterRequest) })}
    proxy_method POST;
    proxy_set_body '${parameterRequest}';
    proxy_set_header X-Amz-Target $origin_target;
    proxy_set_header Content-Type application/x-amz-json-1.1;
  }

  location @missing {
    return 404 '';
  }
  location @failing {
    return 502 '';
  }
}`;
}

type Upstream = { name: string; scheme: string; host: string };

/**
 * Keep-alive connections, since a new one needs two round trips for TLS. Host names are resolved when the configuration
 * is loaded.
 */
function upstream(name: string, address: string, sockets?: string): Upstream & { block: string } {
  const { protocol, host, hostname, port } = new URL(address);
  const scheme = protocol.slice(0, -1);
  const server = sockets ? `unix:${sockets}/${name}` : `${hostname}:${port || (scheme === 'https' ? 443 : 80)}`;
  return { name, scheme, host, block: `upstream ${name} {\n  server ${server};\n  keepalive 64;\n}` };
}

type SignedRequest = Upstream & { service: string; region: string; payload: string; target?: string };

/** Only the listed parts of the client's request are forwarded. */
const signedRequest = ({ name, scheme, host, service, region, payload, target = '' }: SignedRequest): string =>
  `set $origin_host ${host};
    set $origin_service ${service};
    set $origin_region ${region};
    set $origin_payload ${payload};
    set $origin_target '${target}';
    if ($origin_authorization = '') {
      return 503;
    }
    proxy_pass ${scheme}://${name}$origin_path;
    proxy_http_version 1.1;
    proxy_connect_timeout 5s;
    proxy_read_timeout 30s;
    proxy_pass_request_headers off;
    proxy_set_header Connection '';
    proxy_set_header Host $origin_host;
    proxy_set_header Authorization $origin_authorization;
    proxy_set_header X-Amz-Content-Sha256 $origin_payload;
    proxy_set_header X-Amz-Date $origin_date;
    proxy_set_header X-Amz-Security-Token $origin_token;${scheme === 'https' ? verifiedTls(host) : ''}`;

const hiddenHeaders = [
  'Content-Type',
  'Cache-Control',
  'Expires',
  'Content-Disposition',
  'Content-Encoding',
  'Set-Cookie',
  'x-amz-request-id',
  'x-amz-id-2',
  'x-amz-version-id',
  'x-amz-server-side-encryption',
  'x-amz-expiration',
  'x-amz-checksum-crc32',
  'x-amz-checksum-crc64nvme',
  'x-amz-checksum-type',
  'x-amz-storage-class',
]
  .map((name) => `proxy_hide_header ${name};`)
  .join('\n    ');

const verifiedTls = (host: string): string => `
    proxy_ssl_server_name on;
    proxy_ssl_name ${host};
    proxy_ssl_verify on;
    proxy_ssl_verify_depth 4;
    proxy_ssl_trusted_certificate /etc/ssl/certs/ca-certificates.crt;
    proxy_ssl_protocols TLSv1.2 TLSv1.3;`;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
