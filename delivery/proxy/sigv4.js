/**
 * AWS Signature Version 4 in headers, for requests without a query whose path needs no escaping. It runs in njs, and in
 * Node for its tests, so it has a default export and no destructuring.
 */
// biome-ignore lint/style/useNodejsImportProtocol: njs knows the module by this name only
import crypto from 'crypto';

/**
 * @param {crypto.BinaryLike} key
 * @param {string} text
 */
const hmac = (key, text) => crypto.createHmac('sha256', key).update(text);

/**
 * @param {{ method: string, path: string, headers: Record<string, string>, service: string, region: string }} request
 * all headers are signed: lower-case names in alphabetical order, including host, x-amz-content-sha256 and x-amz-date
 * @param {{ accessKeyId: string, secretAccessKey: string }} credentials
 * @returns {string} the value of the header Authorization
 */
function authorization(request, credentials) {
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

export default { authorization };
