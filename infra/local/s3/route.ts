import { completeMultipartUpload } from './complete-multipart.ts';
import { copyObject } from './copy-object.ts';
import { deleteObject, deleteObjects } from './delete-objects.ts';
import { S3Error } from './errors.ts';
import { answer, type Operation } from './exchange.ts';
import { getObject } from './get-object.ts';
import { listObjectsV2 } from './list-objects.ts';
import { listMultipartUploads } from './list-uploads.ts';
import { abortMultipartUpload, createMultipartUpload, listParts, uploadPart } from './multipart.ts';
import { putObject } from './put-object.ts';
import { deleteObjectTagging, getObjectTagging, putObjectTagging } from './tags.ts';
import type { Target } from './target.ts';

const headBucket: Operation = async (exchange) => {
  exchange.response.setHeader('x-amz-bucket-region', exchange.region);
  answer(exchange, 200);
};

const getBucketLocation: Operation = async (exchange) => {
  const content = exchange.region === 'us-east-1' ? '' : exchange.region;
  answer(exchange, 200, { root: 'LocationConstraint', content });
};

const putOrCopyObject: Operation = (exchange) =>
  exchange.request.headers['x-amz-copy-source'] === undefined ? putObject(exchange) : copyObject(exchange);

/** By what the path names and the query parameter that makes it another resource, if any; then by method. */
const operations: Record<string, Record<string, Operation>> = {
  bucket: { HEAD: headBucket },
  'bucket?location': { GET: getBucketLocation },
  'bucket?list-type': { GET: listObjectsV2 },
  'bucket?uploads': { GET: listMultipartUploads },
  'bucket?delete': { POST: deleteObjects },
  object: { GET: getObject, HEAD: getObject, PUT: putOrCopyObject, DELETE: deleteObject },
  'object?tagging': { GET: getObjectTagging, PUT: putObjectTagging, DELETE: deleteObjectTagging },
  'object?uploads': { POST: createMultipartUpload },
  'object?uploadId': {
    GET: listParts,
    PUT: uploadPart,
    POST: completeMultipartUpload,
    DELETE: abortMultipartUpload,
  },
};

// Resources that S3 has and this server does not. Without this list a request for an ACL would be answered with the object.
const unknownResources =
  /^(acl|accelerate|analytics|attributes|cors|encryption|intelligent-tiering|inventory|legal-hold|lifecycle|logging|metrics|notification|object-lock|ownershipControls|policy|policyStatus|publicAccessBlock|replication|requestPayment|restore|retention|select|session|torrent|versionId|versioning|versions|website|append|renameObject|metadata.*)$/;

/** What to do for a request. @throws MethodNotAllowed, NotImplemented */
export function findOperation(method: string, { key, query }: Target): Operation {
  const level = key === '' ? 'bucket' : 'object';
  if (query.some(([name]) => unknownResources.test(name))) throw new S3Error('NotImplemented');
  const resource = query.map(([name]) => `${level}?${name}`).find((name) => name in operations) ?? level;
  const methods = operations[resource]!;
  const operation = methods[method];
  if (operation) return operation;
  if (resource === 'bucket' && (method === 'GET' || method === 'PUT' || method === 'DELETE'))
    throw new S3Error('NotImplemented');
  throw new S3Error('MethodNotAllowed', undefined, {
    details: { Method: method, ResourceType: level.toUpperCase() },
    headers: { Allow: Object.keys(methods).join(', ') },
  });
}
