// biome-ignore lint/style/useNodejsImportProtocol: njs knows the module by this name only
import fs from 'fs';
import signedUrl from '../../shared/delivery/signed-url.js';

/** @param {import('./njs.d.ts').NginxRequest} r */
function check(r) {
  // Not $uri, which nginx has decoded and whose dots it has resolved.
  return signedUrl.checkSignedPath(String(r.variables.request_uri), signingKeys, Math.floor(Date.now() / 1000));
}

/**
 * The variable $link_checked: seconds that the link still lives, or nothing when it is refused.
 * @param {import('./njs.d.ts').NginxRequest} r
 */
function checked(r) {
  const found = check(r);
  return found.status === 200 ? String(found.expiresSeconds - Math.floor(Date.now() / 1000)) : '';
}

/**
 * The same, where the variable $link is the file for a note that the link is good.
 * @param {import('./njs.d.ts').NginxRequest} r
 */
function checkedAndNoted(r) {
  const seconds = checked(r);
  if (seconds) note(String(r.variables.link));
  return seconds;
}

/**
 * Has this worker deliver without a check from now on what the note is of. Without a note, the next request is checked as this one was.
 * @param {string} file in a folder of the worker's own
 */
function note(file) {
  if (write(file)) return;
  try {
    fs.mkdirSync(file.slice(0, file.lastIndexOf('/')));
  } catch (_) {
    return;
  }
  write(file);
}

/** @param {string} file */
function write(file) {
  try {
    fs.writeFileSync(file, '');
    return true;
  } catch (_) {
    return false;
  }
}

/**
 * Answers what is not delivered.
 * @param {import('./njs.d.ts').NginxRequest} r
 */
function refuse(r) {
  if (r.method === 'OPTIONS') {
    r.headersOut['Access-Control-Allow-Methods'] = 'GET, HEAD, OPTIONS';
    r.headersOut['Access-Control-Allow-Headers'] = 'Range, If-None-Match, If-Modified-Since';
    r.headersOut['Access-Control-Max-Age'] = '86400';
    return r.return(204);
  }
  if (r.method !== 'GET' && r.method !== 'HEAD') {
    r.headersOut.Allow = 'GET, HEAD, OPTIONS';
    return answer(r, 405, 'Method not allowed.');
  }
  const checked = check(r);
  // The key may have come, or the second passed, between the two checks of one request.
  if (checked.status === 200) return answer(r, 503, 'Try again.');
  answer(r, checked.status, `Not delivered: ${checked.reason}.`);
}

/**
 * @param {import('./njs.d.ts').NginxRequest} r
 * @param {number} status
 * @param {string} message
 */
function answer(r, status, message) {
  r.headersOut['Content-Type'] = 'application/json';
  r.return(status, JSON.stringify({ message: message }));
}

export default { checked, checkedAndNoted, refuse };
