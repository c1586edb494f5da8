import type { ErrorBody } from 'embedded-aws';

/** The codes of `docs/errors.md` by the status of what the servers of this machine refuse themselves. */
const codes: Readonly<Record<number, string>> = {
  400: 'malformed_request',
  404: 'no_such_route',
  408: 'request_timeout',
  413: 'body_too_large',
  414: 'target_too_long',
  429: 'too_many_requests',
  431: 'headers_too_large',
  500: 'internal_error',
  503: 'service_unavailable',
};

/** The body of an error before a function of the API runs, as the functions write it. */
export const errorBody: ErrorBody = ({ status, message, requestId }) => ({
  message,
  code: codes[status] ?? 'internal_error',
  request_id: requestId,
});
