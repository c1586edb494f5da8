import { createHash } from 'node:crypto';
import signedUrl from '../urls/signed-url.js';
import { deniedVideos, type ResolvedProxySettings } from './proxy-settings.ts';

/**
 * The variables of a request's URL. Of a signed one: $delivered is empty unless the request may have the object
 * $url_object. Of a public one: $public_url is empty unless its form is right; $public_video and $public_path are its
 * parts. $url_marker has to be evaluated first, since its regular expression sets the other $url_… variables. Without a
 * CDN, its value is the path of the marker file by which a worker process remembers that the URL is valid.
 */
export const signedUrlVariables = ({ cdnMode, paths }: ResolvedProxySettings): string => `map $request_uri $url_marker {
  '~${signedUrl.signedPath.source}' ${cdnMode ? '$url_token' : `${paths.run}/checked-urls/$pid/$url_token-$url_video`};
}
${cdnMode ? uncachedCheck : cachedCheck}
map "$request_method $request_uri" $public_url {
  '~^(GET|HEAD) ${signedUrl.publicPath.source.slice(1)}' 1;
}
# Names a file while the video is denied: it was deleted.
map $host $denied_videos {
  default ${deniedVideos(paths)};
}
map $delivered $signed_session {
  default $url_session;
  '' '';
}
map $public_url $delivered_session {
  default '';
  '' $signed_session;
}`;

/** The response to a CDN contains the remaining lifetime of the URL in seconds, which only njs can calculate. */
const uncachedCheck = `map $request_method $delivered {
  GET $url_check;
  HEAD $url_check;
}`;

const cachedCheck = `# nginx evaluates variables lazily: njs does not run for a URL that this worker has marked as valid and that has not expired.
map "$request_method $url_is_checked$secure_link" $delivered {
  'GET 11' noted;
  'HEAD 11' noted;
  '~^(GET|HEAD) ' $url_check;
}`;

const hashedText = 'constant';

/**
 * For the locations that deliver objects. njs creates a VM for each request, which takes half of the time of a
 * delivery. So a worker process creates an empty marker file for each URL that njs found valid, and checks for that
 * file first; nginx caches which files exist. A worker process uses only its own markers. They end with the process,
 * and so do the keys that were used for the check. A marker is for a token and a video, which is what a signature
 * covers.
 */
export const checkedUrlLookup = `set $url_is_checked 0;
    if (-f $url_marker) {
      set $url_is_checked 1;
    }
    # secure_link is the only directive of nginx that compares a number with the clock: $secure_link is 1 until the URL
    # expires. Its hash is of a constant and has no security function.
    secure_link '${createHash('md5').update(hashedText).digest('base64url')},$url_expires';
    secure_link_md5 ${hashedText};`;
