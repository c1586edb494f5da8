import { readPayload, readWhole } from '../bodies/request-payload.ts';
import { S3Error } from '../protocol/s3-errors.ts';
import { elements, parseXml, text } from '../protocol/s3-xml.ts';
import { header, type Operation, respond } from '../requests/exchange.ts';
import { hasAccess, objectArn } from '../requests/s3-access.ts';
import { findObject } from '../storage/bucket-state.ts';
import { requireWriteConditions } from './conditional-headers.ts';

const maxKeys = 1000;
const maxBodyBytes = 8 * 1024 * 1024;

export const deleteObject: Operation = async (exchange) => {
  const { store, target, request } = exchange;
  const existing = findObject(store.state, target.bucket, target.key);
  if (header(exchange, 'if-match') !== undefined)
    requireWriteConditions(existing, { 'if-match': request.headers['if-match'] });
  if (existing) await store.commit({ type: 'delete', bucket: target.bucket, keys: [target.key] });
  respond(exchange, 204);
};

export const deleteObjects: Operation = async (exchange) => {
  const { store, target, authentication } = exchange;
  const payload = readPayload(exchange);
  if (header(exchange, 'content-md5') === undefined && payload.checksumAlgorithm === undefined) {
    throw new S3Error('InvalidRequest', 'Missing required header for this request: Content-MD5');
  }
  const document = parseXml(await readWhole(payload, maxBodyBytes), 'Delete');
  const keys = elements(document, 'Object').map((object) => {
    const key = text(object, 'Key');
    if (!key) throw new S3Error('MalformedXML');
    return key;
  });
  if (keys.length === 0 || keys.length > maxKeys) throw new S3Error('MalformedXML');
  const isAllowed = (key: string) =>
    hasAccess(authentication, { action: 's3:DeleteObject', resource: objectArn(target.bucket, key) });
  const [allowed, denied] = [keys.filter(isAllowed), keys.filter((key) => !isAllowed(key))];
  const present = allowed.filter((key) => findObject(store.state, target.bucket, key));
  if (present.length > 0) await store.commit({ type: 'delete', bucket: target.bucket, keys: present });
  const quiet = text(document, 'Quiet')?.trim() === 'true';
  respond(exchange, 200, {
    root: 'DeleteResult',
    content: {
      ...(!quiet && { Deleted: allowed.map((key) => ({ Key: key })) }),
      Error: denied.map((key) => ({ Key: key, Code: 'AccessDenied', Message: 'Access Denied' })),
    },
  });
};
