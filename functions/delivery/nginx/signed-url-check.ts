import { createHash } from 'node:crypto';
import signedUrl from '../../../shared/delivery/signed-url.js';
import type { ResolvedProxySettings } from './proxy-settings.ts';

/**
 * The variables that say what a request's link is and whether to believe it: $delivered is empty unless it may have $link_object. $link comes first: it
 * makes the other $link_… from the path. Without a CDN it is the file in which a worker notes that the link is good.
 */
export const signedUrlVariables = ({ cdnMode, paths }: ResolvedProxySettings): string => `map $request_uri $link {
  '~${signedUrl.signedPath.source}' ${cdnMode ? '$link_token' : `${paths.run}/links/$pid/$link_token-$link_video`};
}
${cdnMode ? checkedEachTime : checkedOnce}
map $delivered $delivered_session {
  default $link_session;
  '' '';
}`;

/** A CDN has to be told how many seconds a link still lives, which only njs can tell. */
const checkedEachTime = `map $request_method $delivered {
  GET $link_checked;
  HEAD $link_checked;
}`;

const checkedOnce = `# A variable is made when it is asked for: njs sees nothing of a link that this worker has noted, and that still lives.
map "$request_method $link_is_noted$secure_link" $delivered {
  'GET 11' noted;
  'HEAD 11' noted;
  '~^(GET|HEAD) ' $link_checked;
}`;

const hashed = 'constant';

/**
 * For the location that delivers. njs makes a machine of its own for each request, which costs as much as half of a delivery. So a worker notes each link
 * that njs found good, as an empty file, and looks there first; of files it knows which are there without asking the system. A worker reads its own notes
 * only: they end with it, as do the keys that they were made with. A note is of a link and a video, which is what a signature covers.
 */
export const checkedUrlLookup = `set $link_is_noted 0;
    if (-f $link) {
      set $link_is_noted 1;
    }
    # 1 up to the last second of the link, as nothing else in nginx compares a number with the clock. What it hashes is a constant, and proves nothing.
    secure_link '${createHash('md5').update(hashed).digest('base64url')},$link_expires';
    secure_link_md5 ${hashed};`;
