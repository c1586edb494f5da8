import { isBodiless, type ViewerRequest, type ViewerResponse } from './viewer-messages.ts';

/**
 * Sends a request of the viewer: to the service only, and without cookies. So the viewer can do what the token allows
 * that its user entered, and nothing with the session of this browser.
 */
export async function sendRequest(
  { id, url, method, headers, body }: ViewerRequest,
  origin: string,
  send: typeof fetch = fetch,
): Promise<ViewerResponse> {
  try {
    const target = new URL(url, origin);
    if (target.origin !== origin) throw new Error('Requests go to this service only.');
    const response = await send(target.href, {
      method,
      headers,
      ...(body !== undefined && { body }),
      credentials: 'omit',
      redirect: 'follow',
      referrerPolicy: 'no-referrer',
    });
    const { status, statusText } = response;
    const content = isBodiless(status) ? null : await response.arrayBuffer();
    return { id, status, statusText, headers: [...response.headers], body: content };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}
