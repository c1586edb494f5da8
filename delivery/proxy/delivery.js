// biome-ignore lint/style/useNodejsImportProtocol: njs knows the module by this name only
import fs from 'fs';
import signedUrl from '../urls/signed-url.js';

/** @param {import('./njs.d.ts').NginxRequest} r */
function check(r) {
  // Not $uri, which nginx has decoded and normalized.
  return signedUrl.checkSignedPath(String(r.variables.request_uri), signingKeys, Math.floor(Date.now() / 1000));
}

/**
 * A variable of nginx: the seconds until the signed URL expires, or empty if it is refused.
 * @param {import('./njs.d.ts').NginxRequest} r
 */
function secondsLeft(r) {
  const found = check(r);
  return found.status === 200 ? String(found.expiresSeconds - Math.floor(Date.now() / 1000)) : '';
}

/**
 * The same, and remembers an accepted URL in the file $url_marker.
 * @param {import('./njs.d.ts').NginxRequest} r
 */
function checkAndMark(r) {
  const seconds = secondsLeft(r);
  if (seconds) mark(String(r.variables.url_marker));
  return seconds;
}

/**
 * Creates the file that lets this worker of nginx skip the check for the same URL. If that fails, the next request is
 * checked again.
 * @param {string} file in the folder of this worker
 */
function mark(file) {
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
 * Answers requests that are not delivered.
 * @param {import('./njs.d.ts').NginxRequest} r
 */
function refuse(r) {
  // The configuration adds the headers of a preflight response.
  if (r.method === 'OPTIONS') return r.return(204);
  const target = String(r.variables.request_uri);
  const checked = check(r);
  if (r.method === 'DELETE' && checked.status === 200 && checked.session === signedUrl.denialSession) return deny(r);
  if (r.method !== 'GET' && r.method !== 'HEAD') {
    r.headersOut.Allow = 'GET, HEAD, OPTIONS';
    return respond(r, 405, 'Method not allowed.');
  }
  if (target.startsWith('/p/')) {
    const open = signedUrl.checkPublicPath(target);
    return open.status === 400 ? respond(r, 400, `Not delivered: ${open.reason}.`) : respond(r, 404, 'Not found.');
  }
  // A key or the clock may have changed between the two checks of this request.
  if (checked.status === 200) return respond(r, 503, 'Try again.');
  respond(r, checked.status, `Not delivered: ${checked.reason}.`);
}

/**
 * Denies a deleted video from now on, by a file that all workers look up, and that survives a restart like the cache.
 * @param {import('./njs.d.ts').NginxRequest} r
 */
function deny(r) {
  if (write(`${r.variables.denied_videos}/${r.variables.url_video}`)) return r.return(204);
  respond(r, 500, 'The video cannot be denied.');
}

/**
 * @param {import('./njs.d.ts').NginxRequest} r
 * @param {number} status
 * @param {string} message
 */
function respond(r, status, message) {
  r.headersOut['Content-Type'] = 'application/json';
  r.return(status, JSON.stringify({ message: message }));
}

export default { secondsLeft, checkAndMark, refuse };
