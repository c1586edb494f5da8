import { publicMarkerKey } from '../../shared/object-keys.ts';
import { revalidatedSeconds } from '../urls/delivered-headers.ts';
import { commonHeaders } from './common-headers.ts';
import type { ResolvedProxySettings } from './proxy-settings.ts';
import { checkedUrlLookup } from './signed-url-check.ts';

/** The locations that deliver objects after the check of the URL. */
export function deliveryLocations(node: ResolvedProxySettings): string {
  const [signed, open] = [signedUrls(node), publicUrls];
  const isTls = node.paths.https !== undefined;
  if (node.cdnMode) {
    return `${location('/', signed, isTls, passThrough(signed))}

  ${location('/p/', open, isTls, passThrough(open))}
${publicMarker}`;
  }
  const whole = ({ object }: Urls) => cached({ key: object, range: "''" });
  const sliced = ({ object }: Urls) =>
    `slice 4m;\n    ${download}\n    ${cached({ key: `${object}|$slice_range`, range: '$slice_range' })}`;
  return `${location('/', signed, isTls, whole(signed))}

  # With slices, a seek in a large file does not fetch the whole file. They cost a tenth of nginx's time, and segments
  # are smaller than a slice.
  ${location('~ ^/p/.*\\.(mp4|m4a)$', open, isTls, sliced(open))}

  ${location('~ \\.(mp4|m4a)$', signed, isTls, sliced(signed))}

  ${location('/p/', open, isTls, whole(open))}
${publicMarker}`;
}

/** How the URLs of a location are checked, and which object and video they name. */
type Urls = { check: string; object: string; video: string; cdnSeconds: string };

const signedUrls = ({ cdnMode }: ResolvedProxySettings): Urls => ({
  check: `if ($url_marker = '') {
      return 418;
    }
    ${cdnMode ? '' : checkedUrlLookup}
    if ($delivered = '') {
      return 418;
    }`,
  object: '$url_object',
  video: '$url_video',
  cdnSeconds: '$signed_shared_seconds',
});

/** The form is checked here, and the marker of the video by a subrequest, whose answer is cached. */
const publicUrls: Urls = {
  check: `if ($public_url = '') {
      return 418;
    }
    auth_request /public-marker;
    # A video that is not public is like one that does not exist.
    error_page 403 =404 @missing;`,
  object: 'videos/$public_video$public_path',
  video: '$public_video',
  cdnSeconds: '$public_shared_seconds',
};

/**
 * Whether a video is public: its marker exists in the bucket. The response is kept for 20 s. While the store does not
 * answer, public URLs fail: a cached answer could be that of a video which is not public any more. A request to the
 * store may take 10 s, during which the response that it replaces is used.
 */
const publicMarker = `
  location = /public-marker {
    internal;
    proxy_pass http://origin/${publicMarkerKey('$public_video')};
    proxy_method GET;
    proxy_http_version 1.1;
    proxy_pass_request_headers off;
    proxy_pass_request_body off;
    proxy_set_header Connection '';
    proxy_set_header Host origin;
    proxy_read_timeout 10s;
    proxy_cache public_markers;
    proxy_cache_key $public_video;
    proxy_cache_valid 200 ${revalidatedSeconds}s;
    proxy_cache_valid 404 10s;
    proxy_cache_use_stale updating;
    proxy_cache_lock on;
    proxy_cache_lock_timeout 10s;
    proxy_ignore_headers Cache-Control Expires Set-Cookie Vary X-Accel-Expires;
    proxy_intercept_errors on;
    error_page 404 =403 @no_marker;
  }
  location @no_marker {
    return 403;
  }`;

const location = (pattern: string, { check, object, video }: Urls, isTls: boolean, caching: string): string =>
  `location ${pattern} {
    error_page 418 = @refused;
    ${check}
    if (-f $denied_videos/${video}) {
      return 404;
    }
    proxy_pass http://origin/${object};
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
    ${commonHeaders(isTls)}
    ${caching}
  }`;

/**
 * A cached object is revalidated after 20 s, so that a deleted video disappears in that time. The origin server sets
 * X-Accel-Expires for growing playlists only, which are revalidated after a second. While the store does not
 * respond, the cached object is delivered, unless the service has the video denied.
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
    proxy_ignore_headers Cache-Control Expires Set-Cookie Vary;`;

/** nginx omits headers with an empty value. */
const download = 'add_header Content-Disposition $disposition;';

const passThrough = ({ cdnSeconds }: Urls): string => `proxy_set_header Range $http_range;
    proxy_set_header If-Range $http_if_range;
    proxy_set_header If-None-Match $http_if_none_match;
    proxy_set_header If-Modified-Since $http_if_modified_since;
    proxy_hide_header Cache-Control;
    ${download}
    add_header Cache-Control "$upstream_http_cache_control, s-maxage=${cdnSeconds}";`;
