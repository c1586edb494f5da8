import { createHash, createHmac } from 'node:crypto';
import { parse, stringify } from 'node:querystring';

// https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/functions-javascript-runtime-20.html

/** The reads of a function from its key-value store. */
export type KeyValueReader = {
  get: (key: string) => string | undefined;
  meta: () => { creationDateTime: string; lastUpdatedDateTime: string; keyCount: number };
};

const algorithms = ['md5', 'sha1', 'sha256'];

function knownAlgorithm(name: string): string {
  if (algorithms.includes(name)) return name;
  throw new TypeError(`not supported algorithm: "${name}"`);
}

const crypto = {
  createHash: (algorithm: string) => createHash(knownAlgorithm(algorithm)),
  createHmac: (algorithm: string, key: string | Buffer) => createHmac(knownAlgorithm(algorithm), key),
};

const querystring = { parse, stringify, decode: parse, encode: stringify };

type Format = { format?: 'string' | 'json' | 'bytes' };

function keyValueMethods(reader: KeyValueReader) {
  const read = (key: string): string => {
    const value = reader.get(key);
    if (value === undefined) throw new Error('KeyNotFound');
    return value;
  };
  return {
    get: async (key: string, { format = 'string' }: Format = {}): Promise<unknown> => {
      const value = read(key);
      if (format === 'json') return JSON.parse(value);
      return format === 'bytes' ? Buffer.from(value) : value;
    },
    exists: async (key: string): Promise<boolean> => reader.get(key) !== undefined,
    count: async (): Promise<number> => reader.meta().keyCount,
    meta: async () => reader.meta(),
  };
}

/** The built-in modules of runtime 2.0. A function without a key-value store can load `cloudfront` but not read. */
export function runtimeModules(store: KeyValueReader | undefined): ReadonlyMap<string, unknown> {
  const kvs = () => {
    if (!store) throw new Error('Function is not associated with a Key Value Store');
    return keyValueMethods(store);
  };
  return new Map<string, unknown>([
    ['crypto', crypto],
    ['querystring', querystring],
    ['buffer', { Buffer }],
    ['cloudfront', { kvs }],
  ]);
}
