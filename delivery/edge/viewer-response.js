// The CloudFront Function of all responses with media. Runtime 2.0 has no destructuring, spread syntax or `for … of`.
import { contentDisposition } from '../urls/download-name.ts';

/**
 * Adds Content-Disposition to the response of a download. The cached object does not have it, because only the query of
 * the URL asks for it.
 * @param {import('./cloudfront-events.d.ts').ResponseEvent} event
 */
export function handler(event) {
  const disposition = contentDisposition(`${event.request.uri}?${queryOf(event.request.querystring)}`);
  if (disposition !== undefined) event.response.headers['content-disposition'] = { value: disposition };
  return event.response;
}

/** @param {Record<string, { value: string }>} parameters percent-encoded, as received */
function queryOf(parameters) {
  return Object.keys(parameters)
    .map((name) => `${name}=${Object(parameters[name]).value}`)
    .join('&');
}
