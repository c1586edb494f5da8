import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import type { Meter } from '../../account/meter.ts';
import type { ControlService } from '../../control/control-service.ts';
import { writeErrorResponse } from '../../control/error-response.ts';
import { authorize } from '../../iam/authorize.ts';
import type { Principal } from '../../iam/principals.ts';
import { type KeyValueStore, sizeOf, type Update } from './key-value-store.ts';
import { KeyValueStoreError } from './store-errors.ts';
import type { StoreContent } from './store-file.ts';

// https://docs.aws.amazon.com/cloudfront/latest/APIReference/API_Operations_Amazon_CloudFront_KeyValueStore.html

const maxBodyBytes = 3 * 2 ** 20;
const maxListed = 50;

const putInput = z.object({ Value: z.string() });
const updateInput = z.object({
  Puts: z.array(z.object({ Key: z.string(), Value: z.string() })).default([]),
  Deletes: z.array(z.object({ Key: z.string() })).default([]),
});

type Call = { store: KeyValueStore; key: string | undefined; query: URLSearchParams; body: Buffer; ifMatch?: string };
type Response = { etag?: string; document: object };
type Operation = { name: string; run: (call: Call) => Response | Promise<Response> };

/** The data plane of CloudFront KeyValueStore. */
export function keyValueStoreService(stores: readonly KeyValueStore[], meter?: Meter): ControlService {
  const byArn = new Map(stores.map((store) => [store.arn, store]));
  return {
    signingName: 'cloudfront-keyvaluestore',
    protocol: 'rest-json',
    maxBodyBytes,
    isGlobal: true,
    async handle(request, response, body, caller) {
      try {
        const { etag, document } = await respond(request, body, caller, { stores: byArn, meter });
        const text = JSON.stringify(document);
        response.writeHead(200, { 'content-type': 'application/json', ...(etag !== undefined && { etag }) });
        response.end(text);
      } catch (error) {
        if (!(error instanceof KeyValueStoreError)) throw error;
        writeErrorResponse(response, 'rest-json', { status: error.status, code: error.name, message: error.message });
      }
    },
  };
}

async function respond(
  request: IncomingMessage,
  body: Buffer,
  caller: Principal,
  { stores, meter }: { stores: ReadonlyMap<string, KeyValueStore>; meter: Meter | undefined },
): Promise<Response> {
  const url = new URL(request.url ?? '', 'http://localhost');
  const [, , arn = '', ...rest] = url.pathname.split('/').map(decoded);
  const operation = operations[`${request.method} ${rest.length === 0 ? '' : rest.length === 1 ? 'keys' : 'keys/key'}`];
  if (!operation || (rest.length > 0 && rest[0] !== 'keys') || rest.length > 2) {
    throw new KeyValueStoreError('ValidationException', 'The key value store API does not have this operation.');
  }
  authorize(caller, `cloudfront-keyvaluestore:${operation.name}`, arn);
  const store = stores.get(arn);
  if (!store) throw new KeyValueStoreError('ResourceNotFoundException', 'The key value store does not exist.');
  meter?.('key value store requests', 1, operation.name);
  const ifMatch = request.headers['if-match'];
  return operation.run({
    store,
    key: rest[1],
    query: url.searchParams,
    body,
    ...(ifMatch !== undefined && { ifMatch }),
  });
}

const operations: Record<string, Operation> = {
  'GET ': {
    name: 'DescribeKeyValueStore',
    run: ({ store }) => {
      const content = store.content();
      const [Created, LastModified] = [content.createdMs / 1000, content.modifiedMs / 1000];
      return {
        etag: content.etag,
        document: { KvsARN: store.arn, Status: 'READY', ...sizes(content), Created, LastModified },
      };
    },
  },
  'GET keys': { name: 'ListKeys', run: listKeys },
  'GET keys/key': {
    name: 'GetKey',
    run: ({ store, key = '' }) => {
      const content = store.content();
      const value = content.items.get(key);
      if (value === undefined) throw new KeyValueStoreError('ResourceNotFoundException', 'The key does not exist.');
      return { document: { Key: key, Value: value, ...sizes(content) } };
    },
  },
  'PUT keys/key': {
    name: 'PutKey',
    run: (call) =>
      update(call, { puts: [{ key: call.key ?? '', value: parsed(putInput, call.body).Value }], deletes: [] }),
  },
  'DELETE keys/key': { name: 'DeleteKey', run: (call) => update(call, { puts: [], deletes: [call.key ?? ''] }) },
  'POST keys': {
    name: 'UpdateKeys',
    run: (call) => {
      const { Puts, Deletes } = parsed(updateInput, call.body);
      const puts = Puts.map(({ Key, Value }) => ({ key: Key, value: Value }));
      return update(call, { puts, deletes: Deletes.map(({ Key }) => Key) });
    },
  },
};

/** In the order of keys. The token is the last key of a page, so keys that are added between pages do no harm. */
function listKeys({ store, query }: Call): Response {
  const asked = Number(query.get('MaxResults') ?? 10);
  if (!Number.isInteger(asked) || asked < 1 || asked > maxListed) {
    throw new KeyValueStoreError('ValidationException', `MaxResults is a number from 1 to ${maxListed}.`);
  }
  const token = query.get('NextToken');
  const after = token === null ? '' : Buffer.from(token, 'base64url').toString();
  const keys = [...store.content().items.keys()].filter((key) => key > after).toSorted();
  const page = keys.slice(0, asked);
  const Items = page.map((Key) => ({ Key, Value: store.content().items.get(Key) }));
  const hasMore = keys.length > page.length;
  return { document: { Items, ...(hasMore && { NextToken: Buffer.from(page.at(-1)!).toString('base64url') }) } };
}

async function update({ store, ifMatch }: Call, changes: Update): Promise<Response> {
  const content = await store.update(changes, ifMatch);
  return { etag: content.etag, document: sizes(content) };
}

const sizes = ({ items }: StoreContent) => ({ ItemCount: items.size, TotalSizeInBytes: sizeOf(items) });

function parsed<Input>(schema: z.ZodType<Input>, body: Buffer): Input {
  try {
    return schema.parse(JSON.parse(body.toString('utf8')));
  } catch {
    throw new KeyValueStoreError('ValidationException', 'The body of the request is not valid.');
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new KeyValueStoreError('ValidationException', 'The path of the request is not valid.');
  }
}
