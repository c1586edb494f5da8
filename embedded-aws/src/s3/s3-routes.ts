import type { IncomingMessage } from 'node:http';
import { completeMultipartUpload } from './multipart/complete-multipart-upload.ts';
import { listMultipartUploads } from './multipart/list-multipart-uploads.ts';
import { abortMultipartUpload, createMultipartUpload, listParts } from './multipart/multipart-upload.ts';
import { uploadPart, uploadPartCopy } from './multipart/upload-part.ts';
import { copyObject } from './objects/copy-object.ts';
import { deleteObject, deleteObjects } from './objects/delete-objects.ts';
import { getObject } from './objects/get-object.ts';
import { listObjectsV2 } from './objects/list-objects.ts';
import { deleteObjectTagging, getObjectTagging, putObjectTagging } from './objects/object-tags.ts';
import { putObject } from './objects/put-object.ts';
import type { Target } from './protocol/request-target.ts';
import { S3Error } from './protocol/s3-errors.ts';
import { type Operation, respond } from './requests/exchange.ts';

/**
 * `action` is the permission that the operation requires on the bucket or object of the path. It is undefined when the
 * operation checks the permissions for several objects itself. Presigned URLs are accepted only for routes with
 * `presigned`, because anyone may hold them.
 */
export type Route = { operation: Operation; action: `s3:${string}` | undefined; presigned?: true };

const headBucket: Operation = async (exchange) => {
  exchange.response.setHeader('x-amz-bucket-region', exchange.region);
  respond(exchange, 200);
};

const getBucketLocation: Operation = async (exchange) => {
  const content = exchange.region === 'us-east-1' ? '' : exchange.region;
  respond(exchange, 200, { root: 'LocationConstraint', content });
};

/** Operations on a bucket, by the query parameter that selects a subresource, then by method. */
const ofBucket: Record<string, Record<string, Route>> = {
  '': { HEAD: { operation: headBucket, action: 's3:ListBucket' } },
  location: { GET: { operation: getBucketLocation, action: 's3:GetBucketLocation' } },
  'list-type': { GET: { operation: listObjectsV2, action: 's3:ListBucket' } },
  uploads: { GET: { operation: listMultipartUploads, action: 's3:ListBucketMultipartUploads' } },
  delete: { POST: { operation: deleteObjects, action: undefined } },
};

/** Operations on an object, in the same form. */
const ofObject: Record<string, Record<string, Route>> = {
  '': {
    GET: { operation: getObject, action: 's3:GetObject', presigned: true },
    HEAD: { operation: getObject, action: 's3:GetObject', presigned: true },
    PUT: { operation: putObject, action: 's3:PutObject', presigned: true },
    DELETE: { operation: deleteObject, action: 's3:DeleteObject' },
  },
  tagging: {
    GET: { operation: getObjectTagging, action: 's3:GetObjectTagging' },
    PUT: { operation: putObjectTagging, action: 's3:PutObjectTagging' },
    DELETE: { operation: deleteObjectTagging, action: 's3:DeleteObjectTagging' },
  },
  uploads: { POST: { operation: createMultipartUpload, action: 's3:PutObject' } },
  uploadId: {
    GET: { operation: listParts, action: 's3:ListMultipartUploadParts' },
    PUT: { operation: uploadPart, action: 's3:PutObject', presigned: true },
    POST: { operation: completeMultipartUpload, action: 's3:PutObject' },
    DELETE: { operation: abortMultipartUpload, action: 's3:AbortMultipartUpload' },
  },
};

/** What a PUT does instead when it names a source, by subresource. */
const copies: Record<string, Route> = {
  '': { operation: copyObject, action: 's3:PutObject' },
  uploadId: { operation: uploadPartCopy, action: 's3:PutObject', presigned: true },
};

// Subresources of S3 that this server does not have. Without this check a request for an ACL would return the object.
const unknownResources =
  /^(acl|accelerate|analytics|attributes|cors|encryption|intelligent-tiering|inventory|legal-hold|lifecycle|logging|metrics|notification|object-lock|ownershipControls|policy|policyStatus|publicAccessBlock|replication|requestPayment|restore|retention|select|session|torrent|versionId|versioning|versions|website|append|renameObject|metadata.*|x-amz-copy-source.*)$/;

/** Finds the operation for a request. @throws MethodNotAllowed, NotImplemented */
export function findRoute({ method = '', headers }: IncomingMessage, { key, query }: Target): Route {
  if (query.some(([name]) => unknownResources.test(name))) throw new S3Error('NotImplemented');
  const resources = key === '' ? ofBucket : ofObject;
  const resource = query.map(([name]) => name).find((name) => name !== '' && Object.hasOwn(resources, name)) ?? '';
  const methods = resources[resource]!;
  if (Object.hasOwn(methods, method)) {
    const isCopy = method === 'PUT' && headers['x-amz-copy-source'] !== undefined;
    return (isCopy && key !== '' && copies[resource]) || methods[method]!;
  }
  if (resources === ofBucket && resource === '' && ['GET', 'PUT', 'DELETE'].includes(method)) {
    throw new S3Error('NotImplemented');
  }
  throw new S3Error('MethodNotAllowed', undefined, {
    details: { Method: method, ResourceType: key === '' ? 'BUCKET' : 'OBJECT' },
    headers: { Allow: Object.keys(methods).join(', ') },
  });
}
