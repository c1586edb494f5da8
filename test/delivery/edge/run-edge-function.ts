import { compileFunction } from 'embedded-aws/testing';
import { edgeFunctionCode } from '../../../infra/edge/function-code.ts';

type Name = Parameters<typeof edgeFunctionCode>[0];
type Entries = { get(key: string): string | undefined; size: number };

/** Runs the code of a CloudFront Function as it is deployed, with what runtime 2.0 offers and nothing else. */
export function loadEdgeFunction(name: Name, entries: Entries = new Map()) {
  const meta = () => ({ creationDateTime: '', lastUpdatedDateTime: '', keyCount: entries.size });
  const handler = compileFunction(
    { arn: name, code: edgeFunctionCode(name) },
    { get: (key) => entries.get(key), meta },
    () => {},
  );
  return { handler };
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
