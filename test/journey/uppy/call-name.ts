/**
 * A short name for a request that Uppy makes: `create`, `sign 1`, `put 1`, `list`, `complete`, `abort` for an upload in
 * parts, `params` and `form` for one in a single request. Undefined for other requests.
 * @param siteOrigins origins of the pages and the API; any other origin is the store
 */
export function callName(method: string, address: string, siteOrigins: string[]): string | undefined {
  const { origin, pathname, searchParams } = new URL(address);
  if (!siteOrigins.includes(origin)) return method === 'PUT' ? `put ${searchParams.get('partNumber')}` : 'form';
  const [, called] = /^\/api\/(?:objstore|s3)\/(.+)$/.exec(pathname) ?? [];
  if (called === undefined || method === 'OPTIONS') return undefined;
  const [resource, uploadId, last] = called.split('/');
  if (resource === 'params') return 'params';
  if (uploadId === undefined) return 'create';
  if (last === undefined) return method === 'DELETE' ? 'abort' : 'list';
  return last === 'complete' ? 'complete' : `sign ${last}`;
}
