import { createHmac } from 'node:crypto';
import { createContext, runInContext } from 'node:vm';
import { edgeFunctionCode } from '../../../infra/edge/function-code.ts';

type Name = Parameters<typeof edgeFunctionCode>[0];

/**
 * Runs the code of a CloudFront Function as it is deployed, with what runtime 2.0 offers and nothing else: its modules
 * `crypto` and `cloudfront` and the class Buffer. Code from strings is not allowed.
 */
export function loadEdgeFunction(name: Name, entries: ReadonlyMap<string, string> = new Map()) {
  const code = edgeFunctionCode(name);
  const kvs = {
    get: async (key: string) => {
      const value = entries.get(key);
      if (value === undefined) throw new Error('KeyNotFound');
      return value;
    },
    exists: async (key: string) => entries.has(key),
  };
  const modules = { crypto: { createHmac }, cf: { kvs: () => kvs }, Buffer };
  const context = createContext({ ...modules }, { codeGeneration: { strings: false, wasm: false } });
  runInContext(code.replace(/^(import \w+ from\s*"(crypto|cloudfront)";)+/, ''), context);
  const { handler } = context as unknown as { handler: (event: unknown) => unknown };
  return { code, handler };
}

export type EdgeAnswer = {
  uri?: string;
  statusCode?: number;
  headers: Record<string, { value: string }>;
  body?: { data: string };
};

/** The event of a request, with the query as CloudFront passes it: by name, not decoded. */
export function requestOf(target: string, method = 'GET', headers: Record<string, { value: string }> = {}) {
  const [uri = '', query = ''] = target.split('?');
  const querystring = Object.fromEntries(
    query
      .split('&')
      .filter(Boolean)
      .map((pair) => [pair.split('=')[0]!, { value: pair.split('=')[1] ?? '' }]),
  );
  return { viewer: { ip: '192.0.2.7' }, request: { method, uri, querystring, headers } };
}
