import type * as z from 'zod';
import type { ErrorCode } from '../common/error-codes.ts';

/** What a token may do: everything (`*`), or a choice of the others. `admin` is for tokens of administrators. */
export const tokenAbilities = [
  '*',
  'videos:read',
  'videos:write',
  'uploads:write',
  'playback:read',
  'templates:write',
  'webhooks:write',
  'usage:read',
  'admin',
] as const;
export type TokenAbility = (typeof tokenAbilities)[number];

/**
 * Who may call. A token needs the ability, one of several, or everything (`*`), which it has by default. `session`: the
 * session cookie only, no bearer token. `worker`: the token of a node instead of a user.
 */
type Permission =
  | { access: 'user' | 'admin'; ability: TokenAbility | readonly TokenAbility[] }
  | { access: 'public' | 'session' | 'worker'; ability?: undefined };

/** Allowed requests per minute, by kind of limit. */
export const rateLimits = {
  default: 300,
  objstore: 6000,
  /** each has the service connect to a host that the user names, and wait for it */
  targetTests: 20,
  register: 5,
  /** password attempts for one account from one network */
  login: 5,
  /** password attempts for one account from all networks without an earlier sign-in */
  loginPerAccount: 10,
  /** wrong passwords from one network, over all accounts */
  wrongPasswords: 30,
  /** wrong tokens and sessions from one network */
  credentials: 60,
  /** wrong secrets of the tokens of one account */
  credentialsPerAccount: 300,
} as const;
export type RateKind = keyof typeof rateLimits;

export const tags = [
  'Service',
  'Account',
  'Users',
  'Activity, analytics, usage',
  'Videos',
  'Embedding',
  'Upload',
  'Storages',
  'Streams',
  'Templates',
  'Webhooks',
  'Nodes',
  'SSH keys',
] as const;

/**
 * The description of an operation. The router, the validation, the OpenAPI document and contract tests are derived from
 * it.
 */
export type RouteDeclaration = Permission & {
  operationId: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: `/${string}`;
  /** a GET with side effects: cross-site requests with the session cookie are refused as for other methods */
  changesState?: true;
  /** A session whose sign-in is long ago has to be confirmed by the password. */
  needsConfirmation?: true;
  /** section of the published document; an operation without one is not published */
  tag?: (typeof tags)[number];
  summary?: string;
  description?: string;
  /** an operation of one upload, which the token of a direct upload also authorises */
  acceptsUploadToken?: true;
  /** status of success; `response` is absent with 204 */
  status: 200 | 201 | 202 | 204;
  response?: z.ZodType;
  /** status when the handler returns nothing */
  emptyStatus?: 204;
  /** status when the handler has replaced a record instead of creating one */
  replacedStatus?: 200;
  /** default application/json */
  responseType?: 'application/json' | 'text/html' | 'text/plain';
  /** Path parameters without a schema are texts; the handler answers 404 for an invalid id. */
  params?: z.ZodType;
  query?: z.ZodType;
  /** Parameters that identify the record: not validated, because a value that does not match answers 404. */
  lookupQuery?: z.ZodType;
  body?: z.ZodType;
  bodyOptional?: true;
  /** The body is a file of one of these content types, at most `bodyLimitBytes`; with `body`, it may also be JSON. */
  fileTypes?: readonly string[];
  /** a valid body, for the published document */
  bodyExample?: unknown;
  /** for workers: texts are not trimmed, and empty texts are kept */
  bodyVerbatim?: true;
  /** default 1 MiB */
  bodyLimitBytes?: number;
  /** default `default` */
  rate?: RateKind | 'unlimited';
  /** fields of query or body that only administrators may send; 403 for others */
  adminFields?: readonly string[];
  /** query parameters of which a request may have several: their values are a list */
  repeatedQuery?: readonly string[];
  /** query parameters, and fields of objects of the body, for which an empty text is a value */
  emptyAllowed?: readonly string[];
  /**
   * An operation that creates or starts something takes an Idempotency-Key. If a process died before its response was
   * stored, a repeat continues the operation with the IDs that the first call has chosen (`continued`), or does it
   * again (`again`): its handler depends on what it changes, which then forbids a second time.
   */
  repeats?: 'continued' | 'again';
  /** The response has a secret that is shown once. */
  showsSecret?: true;
  /** codes of errors besides those that follow from the other properties */
  errors?: readonly ErrorCode[];
  cacheControl?: string;
  /** example values of response headers, for the published document */
  responseHeaders?: Readonly<Record<string, string>>;
};

/** Whether the operation changes state, which cross-site requests with a session cookie must not do. */
export const isChange = ({ method, changesState }: Pick<RouteDeclaration, 'method' | 'changesState'>): boolean =>
  method !== 'GET' || changesState === true;

/** The abilities of which a token needs one, unless it has all (`*`). Empty where tokens are not accepted. */
export const abilitiesOf = ({ ability = [] }: Pick<RouteDeclaration, 'ability'>): readonly TokenAbility[] =>
  [ability].flat();

/** Whether the response has an ETag, and If-None-Match is answered with 304. */
export const hasEntityTag = (
  declaration: Pick<RouteDeclaration, 'method' | 'changesState' | 'status' | 'responseType' | 'cacheControl'>,
) =>
  !isChange(declaration) &&
  declaration.status === 200 &&
  (declaration.responseType === undefined || declaration.responseType === 'application/json') &&
  declaration.cacheControl !== 'no-store';

/** The names in braces of a path: `{ id: string }` for `/api/tokens/{id}`. */
export type PathParams<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { [Key in Name]: string } & PathParams<Rest>
  : unknown;
