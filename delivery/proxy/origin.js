// biome-ignore lint/style/useNodejsImportProtocol: njs knows the module by this name only
import crypto from 'crypto';

// This runs in njs, and in Node for its tests, so it has a default export and no destructuring.

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
  return signedHeader(
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
 * @param {crypto.BinaryLike} key
 * @param {string} text
 */
const hmac = (key, text) => crypto.createHmac('sha256', key).update(text);

/**
 * AWS Signature Version 4 in headers, for requests without a query whose path needs no escaping.
 * @param {{ method: string, path: string, headers: Record<string, string>, service: string, region: string }} request
 * all headers are signed: lower-case names in alphabetical order, including host, x-amz-content-sha256 and x-amz-date
 * @param {{ accessKeyId: string, secretAccessKey: string }} credentials
 * @returns {string} the value of the header Authorization
 */
function signedHeader(request, credentials) {
  const names = Object.keys(request.headers);
  const signed = names.join(';');
  const time = String(request.headers['x-amz-date']);
  const day = time.slice(0, 8);
  const scope = `${day}/${request.region}/${request.service}/aws4_request`;
  const lines = names.map((name) => `${name}:${request.headers[name]}\n`).join('');
  const canonical = `${request.method}\n${request.path}\n\n${lines}\n${signed}\n${request.headers['x-amz-content-sha256']}`;
  const hashed = crypto.createHash('sha256').update(canonical).digest('hex');

  const dayKey = hmac(`AWS4${credentials.secretAccessKey}`, day).digest();
  const regionKey = hmac(dayKey, request.region).digest();
  const serviceKey = hmac(regionKey, request.service).digest();
  const signature = hmac(hmac(serviceKey, 'aws4_request').digest(), `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hashed}`);
  const credential = `${credentials.accessKeyId}/${scope}`;
  return `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${signed}, Signature=${signature.digest('hex')}`;
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
