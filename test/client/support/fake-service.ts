export type Answer = { status?: number; headers?: Record<string, string>; body?: unknown };
type Handler = (request: Request) => Answer | Promise<Answer>;

/** A service in memory. `handlers` are by method and path, and may be changed while it is used. */
export function createFakeService(handlers: Record<string, Handler> = {}, url = 'http://service.test') {
  const requests: string[] = [];
  const fetch = async (request: Request): Promise<Response> => {
    request.signal.throwIfAborted();
    const { pathname, search } = new URL(request.url);
    // The size of a part is in the query of its signing.
    const name = `${request.method} ${pathname}${search.replace(/^\?size=\d+$/, '')}`;
    requests.push(name);
    const response = await (handlers[name] ?? notFound)(request);
    const { status = 200, headers, body } = response;
    return new Response(body === undefined ? null : JSON.stringify(body), { status, ...(headers && { headers }) });
  };
  return { url, fetch, handlers, requests };
}

const notFound = (): Answer => ({ status: 404, body: { message: 'Not found.' } });

const uploadPath = '/api/objstore/multipart';

/** Adds the operations of one upload with parts of 4 bytes. */
export function serveUpload({ handlers, url }: ReturnType<typeof createFakeService>) {
  const parts = new Map<number, string>();
  const state: { created?: object; completed?: object; aborted?: boolean } = {};
  handlers[`POST ${uploadPath}`] = async (request) => {
    state.created = (await request.json()) as object;
    return { body: { ulid: 'V', uploadId: 'U', suggestedPartSize: 4, key: 'k', bucket: 'b' } };
  };
  handlers[`GET ${uploadPath}/U`] = () => ({
    body: [...parts].map(([PartNumber, text]) => ({ PartNumber, Size: text.length, ETag: `"${PartNumber}"` })),
  });
  handlers[`POST ${uploadPath}/U/complete`] = async (request) => {
    state.completed = (await request.json()) as object;
    return { body: {} };
  };
  handlers[`DELETE ${uploadPath}/U`] = () => {
    state.aborted = true;
    return { body: {} };
  };
  for (const number of [1, 2, 3]) {
    handlers[`GET ${uploadPath}/U/${number}`] = () => ({ body: { url: `${url}/store/${number}`, method: 'PUT' } });
    handlers[`PUT /store/${number}`] = async (request) => {
      parts.set(number, await request.text());
      return { headers: { etag: `"${number}"` } };
    };
  }
  return { parts, state };
}
