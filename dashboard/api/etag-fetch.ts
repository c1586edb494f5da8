import type { Fetch } from '../../client/api.ts';

type Kept = { etag: string; body: string; headers: [string, string][] };

const maxKept = 100;

/**
 * A fetch that keeps the responses to GET requests that have an ETag, and asks for them again only if they changed.
 * An unchanged response is returned as a 200 with the body and the ETag that were kept.
 */
export function createEtagFetch(fetch: Fetch): { fetch: Fetch; clear(): void } {
  const kept = new Map<string, Kept>();

  const keep = async (url: string, response: Response): Promise<Response> => {
    const etag = response.headers.get('etag');
    if (etag === null || response.status !== 200) return response;
    kept.delete(url);
    kept.set(url, { etag, body: await response.clone().text(), headers: [...response.headers] });
    const [oldest] = kept.keys();
    if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest);
    return response;
  };

  return {
    fetch: async (request) => {
      if (request.method !== 'GET') return fetch(request);
      const before = kept.get(request.url);
      if (before === undefined) return keep(request.url, await fetch(request));
      const headers = new Headers(request.headers);
      headers.set('if-none-match', before.etag);
      const response = await fetch(new Request(request, { headers }));
      if (response.status === 304) return new Response(before.body, { headers: before.headers });
      return keep(request.url, response);
    },
    clear: () => kept.clear(),
  };
}
