import sigv4 from './sigv4.js';

/**
 * The variable $origin_date: the current time in the format of AWS.
 * @returns {string} such as 20261121T100000Z
 */
const date = () => new Date().toISOString().replace(/[-:]|\.\d{3}/g, '');

/** The variable $origin_token: the session token of temporary credentials. */
const token = () => credentials.sessionToken || '';

/**
 * The variable $origin_authorization for the request that the $origin_… variables of the location describe. Empty if
 * the node has no credentials.
 * @param {import('./njs.d.ts').NginxRequest} r
 */
function authorization(r) {
  if (!credentials.accessKeyId || !credentials.secretAccessKey) return '';
  /** @type {Record<string, string>} */
  const headers = {
    host: String(r.variables.origin_host),
    'x-amz-content-sha256': String(r.variables.origin_payload),
    'x-amz-date': String(r.variables.origin_date),
  };
  if (credentials.sessionToken) headers['x-amz-security-token'] = credentials.sessionToken;
  if (r.variables.origin_target) headers['x-amz-target'] = String(r.variables.origin_target);
  return sigv4.authorization(
    {
      method: String(r.variables.origin_method),
      path: String(r.variables.origin_path),
      headers: headers,
      service: String(r.variables.origin_service),
      region: String(r.variables.origin_region),
    },
    { accessKeyId: credentials.accessKeyId, secretAccessKey: credentials.secretAccessKey },
  );
}

/**
 * Answers with the signing keys of the stage from the parameter store: base64url secrets by key id.
 * @param {import('./njs.d.ts').NginxRequest} r
 */
function freshSigningKeys(r) {
  return r.subrequest('/parameter', { method: 'POST' }).then((reply) => {
    if (reply.status !== 200) return r.return(502);
    const keys = JSON.parse(JSON.parse(String(reply.responseText)).Parameter.Value).keys;
    const ids = Object.keys(keys);
    // Every request is checked with these keys: an empty set would break all signed URLs.
    const usable = ids.length > 0 && ids.every((id) => /^[a-z0-9]{1,16}$/.test(id) && /^[\w-]{43}$/.test(keys[id]));
    if (!usable) return r.return(502);
    r.return(200, JSON.stringify(keys));
  });
}

export default { date, token, authorization, freshSigningKeys };
