import { isChange, type RouteDeclaration } from './route-declaration.ts';

const header = (type: 'string' | 'integer', description: string) => ({ schema: { type }, description });

const error = (description: string, message: string, headers: Record<string, ReturnType<typeof header>> = {}) => ({
  description,
  headers,
  content: {
    'application/json': { schema: { $ref: '#/components/schemas/Error' }, example: { message } },
  },
});

const retryAfter = { 'Retry-After': header('integer', 'Seconds.') };

/** The error responses of all operations, by status. */
export const errorResponses = {
  400: error('The body is not well-formed JSON.', 'The request body is not valid JSON.'),
  401: error('No credential, or a wrong, revoked or expired one.', 'Unauthenticated.', {
    'WWW-Authenticate': header('string', 'Bearer'),
  }),
  402: error(
    "The quota of the video's or upload's owner does not allow it in this month (UTC).",
    'The quota of 1000000 uploaded bytes a month does not allow this: 900000 are used and 50000 reserved.',
  ),
  403: error(
    'Signed in but not allowed, or an upload token on a page of another origin.',
    'This action is unauthorized.',
  ),
  404: error('No such route or record, or a record of another user.', 'Not found.'),
  405: error(
    'The path exists, the method does not.',
    'The PATCH method is not supported for route api/videos. Supported methods: GET, HEAD.',
    { Allow: header('string', 'The supported methods.') },
  ),
  409: error('The record is in a state that forbids the action.', 'The template is used by 4 videos.'),
  413: error(
    'The body is too large, or the file is over 5 TiB or over the max_bytes of its upload token.',
    'The request body is too large.',
  ),
  415: error('A body of a content type that the operation does not take.', 'Send the body as application/json.'),
  419: error('A state-changing request with the session cookie came from another site.', 'CSRF token mismatch.'),
  422: {
    description: 'One or more fields are wrong.',
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/ValidationError' },
        example: {
          message: 'The name field is required. (and 1 more error)',
          errors: { name: ['The name field is required.'], email: ['The email has already been taken.'] },
          codes: { name: [{ code: 'required' }], email: [{ code: 'taken' }] },
        },
      },
    },
  },
  429: error('Rate limit.', 'Too Many Attempts.', {
    ...retryAfter,
    'X-RateLimit-Limit': header('integer', 'Requests a minute.'),
    'X-RateLimit-Remaining': header('integer', 'Requests left in this minute.'),
    'X-RateLimit-Reset': header('integer', 'Unix seconds.'),
  }),
  501: error('The service has no response in this format.', 'The format must be json.'),
  502: error(
    'SSH to the node failed or timed out, or its host key changed.',
    'The node could not be reached over SSH.',
  ),
  503: error(
    'A dependency is unavailable, or the request took too long. It may have been carried out.',
    'Service unavailable.',
    retryAfter,
  ),
} as const;

export type ErrorStatus = keyof typeof errorResponses;

/** The error statuses of an operation. Most follow from its input and its access. */
export function errorStatuses(declaration: RouteDeclaration): ErrorStatus[] {
  const { access, body, fileTypes, query, params, adminFields, acceptsUploadToken = false, errors = [] } = declaration;
  const signed = access !== 'public';
  const statuses: (ErrorStatus | false)[] = [
    ...errors,
    405,
    429,
    503,
    signed && 401,
    signed && isChange(declaration) && 419,
    (access === 'admin' || adminFields !== undefined || acceptsUploadToken) && 403,
    ...(body ? ([400, 413, 415, 422] as const) : []),
    ...(fileTypes ? ([413, 415, 422] as const) : []),
    (query !== undefined || params !== undefined) && 422,
  ];
  return [...new Set(statuses.filter((status) => status !== false))].toSorted((a, b) => a - b);
}
