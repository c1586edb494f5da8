import { revalidatedSeconds } from '../../../shared/delivery/delivered-headers.ts';
import { commonHeaders } from './common-headers.ts';
import type { ResolvedProxySettings } from './proxy-settings.ts';
import { checkedUrlLookup } from './signed-url-check.ts';

/** The locations that deliver objects after the check of the signed URL. */
export function deliveryLocations(node: ResolvedProxySettings): string {
  if (node.cdnMode) return location('/', node, passThrough);
  return `${location('/', node, cached({ key: '$url_object', range: "''" }))}

  # With slices, a seek in a large file does not fetch the whole file. They cost a tenth of nginx's time, and segments
  # are smaller than a slice.
  ${location('~ \\.(mp4|m4a)$', node, `slice 4m;\n    ${download}\n    ${cached({ key: '$url_object|$slice_range', range: '$slice_range' })}`)}`;
}

const location = (pattern: string, node: ResolvedProxySettings, caching: string): string => `location ${pattern} {
    error_page 418 = @refused;
    if ($url_marker = '') {
      return 418;
    }
    ${node.cdnMode ? '' : checkedUrlLookup}
    if ($delivered = '') {
      return 418;
    }
    proxy_pass http://origin/$url_object;
    proxy_http_version 1.1;
    proxy_pass_request_headers off;
    proxy_set_header Connection '';
    proxy_set_header Host origin;
    proxy_read_timeout 60s;
    proxy_max_temp_file_size 0;
    proxy_intercept_errors on;
    error_page 404 @missing;
    error_page 416 @outside;
    error_page 429 @busy;
    error_page 500 502 503 504 =502 @failing;
    ${commonHeaders(node.paths.https !== undefined)}
    ${caching}
  }`;

/**
 * A cached object is revalidated after 20 s, so that a deleted video disappears in that time. While the store does not
 * respond, the cached object is delivered.
 */
const cached = ({ key, range }: { key: string; range: string }): string => `proxy_set_header Range ${range};
    proxy_cache delivery;
    proxy_cache_key ${key};
    proxy_cache_valid 200 206 ${revalidatedSeconds}s;
    proxy_cache_valid 404 10s;
    proxy_cache_revalidate on;
    proxy_cache_use_stale error timeout updating http_500 http_502 http_503 http_504;
    proxy_cache_lock on;
    proxy_cache_lock_timeout 30s;
    proxy_cache_lock_age 30s;
    proxy_ignore_headers Cache-Control Expires Set-Cookie Vary X-Accel-Expires;`;

/** nginx omits headers with an empty value. */
const download = 'add_header Content-Disposition $disposition;';

const passThrough = `proxy_set_header Range $http_range;
    proxy_set_header If-Range $http_if_range;
    proxy_set_header If-None-Match $http_if_none_match;
    proxy_set_header If-Modified-Since $http_if_modified_since;
    proxy_hide_header Cache-Control;
    ${download}
    add_header Cache-Control "$upstream_http_cache_control, s-maxage=$delivered_shared_seconds";`;
