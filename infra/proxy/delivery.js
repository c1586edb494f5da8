import signedUrl from '../../shared/signed-url.js';

/** @param {import('./njs.d.ts').NginxRequest} r */
function check(r) {
  // Not $uri, which nginx has decoded and whose dots it has resolved.
  const path = String(String(r.variables.request_uri).split('?')[0]);
  return signedUrl.checkSignedPath(path, signingKeys, Math.floor(Date.now() / 1000));
}

/**
 * The variable $delivery: seconds that the link still lives, session and object, or nothing when the path is refused.
 * @param {import('./njs.d.ts').NginxRequest} r
 */
function delivery(r) {
  const checked = check(r);
  if (checked.status !== 200) return '';
  return `${checked.expiresSeconds - Math.floor(Date.now() / 1000)} ${checked.session} ${checked.objectKey}`;
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

export default { delivery, refuse };
