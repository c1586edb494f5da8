import { createHash } from 'node:crypto';
import signedUrl from '../../../shared/delivery/signed-url.js';
import type { ResolvedProxySettings } from './proxy-settings.ts';

/**
 * The variables of a request's signed URL. $delivered is empty unless the request may have the object $link_object.
 * $link has to be evaluated first, since its regular expression sets the other $link_… variables. Without a CDN, its
 * value is the path of the marker file by which a worker process remembers that the URL is valid.
 */
export const signedUrlVariables = ({ cdnMode, paths }: ResolvedProxySettings): string => `map $request_uri $link {
  '~${signedUrl.signedPath.source}' ${cdnMode ? '$link_token' : `${paths.run}/links/$pid/$link_token-$link_video`};
}
${cdnMode ? uncachedCheck : cachedCheck}
map $delivered $delivered_session {
  default $link_session;
  '' '';
}`;

/** The response to a CDN contains the remaining lifetime of the URL in seconds, which only njs can calculate. */
const uncachedCheck = `map $request_method $delivered {
  GET $link_checked;
  HEAD $link_checked;
}`;

const cachedCheck = `# nginx evaluates variables lazily: njs does not run for a URL that this worker has marked as valid and that has not expired.
map "$request_method $link_is_noted$secure_link" $delivered {
  'GET 11' noted;
  'HEAD 11' noted;
  '~^(GET|HEAD) ' $link_checked;
}`;

const hashedText = 'constant';

/**
 * For the locations that deliver objects. njs creates a VM for each request, which takes half of the time of a
 * delivery. So a worker process creates an empty marker file for each URL that njs found valid, and checks for that
 * file first; nginx caches which files exist. A worker process uses only its own markers. They end with the process,
 * and so do the keys that were used for the check. A marker is for a token and a video, which is what a signature
 * covers.
 */
export const checkedUrlLookup = `set $link_is_noted 0;
    if (-f $link) {
      set $link_is_noted 1;
    }
    # secure_link is the only directive of nginx that compares a number with the clock: $secure_link is 1 until the URL
    # expires. Its hash is of a constant and has no security function.
    secure_link '${createHash('md5').update(hashedText).digest('base64url')},$link_expires';
    secure_link_md5 ${hashedText};`;
