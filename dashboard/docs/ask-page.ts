import { isBodiless, type ViewerRequest, type ViewerResponse } from './viewer-messages.ts';

const waiting = new Map<number, (response: ViewerResponse) => void>();
let lastId = 0;

addEventListener('message', ({ source, data }: MessageEvent<ViewerResponse>) => {
  if (source !== parent) return;
  waiting.get(data.id)?.(data);
  waiting.delete(data.id);
});

/** `fetch` through the page around the frame, which is the only one that may send requests. */
export async function fetchThroughPage(request: Omit<ViewerRequest, 'id'>): Promise<Response> {
  const id = ++lastId;
  const response = await new Promise<ViewerResponse>((resolve) => {
    waiting.set(id, resolve);
    parent.postMessage({ ...request, id } satisfies ViewerRequest, '*');
  });
  if ('error' in response) throw new TypeError(response.error);
  const { status, statusText, headers, body } = response;
  return new Response(isBodiless(status) ? null : body, { status, statusText, headers });
}
