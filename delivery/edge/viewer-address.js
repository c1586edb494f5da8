// The CloudFront Function of all requests for the API.

/**
 * Adds the address of the viewer, and replaces the header if the viewer sent it. A policy cannot do this: a request
 * that keeps all headers of the viewer except Host cannot also get CloudFront-Viewer-Address.
 * @param {import('./cloudfront-events.d.ts').RequestEvent} event
 */
export function handler(event) {
  event.request.headers['x-viewer-address'] = { value: event.viewer.ip };
  return event.request;
}
