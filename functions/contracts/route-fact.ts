import type * as z from 'zod';

/** `session`: the session cookie only, no bearer token. `worker`: the token of a node, which is no user's. */
export type Access = 'public' | 'user' | 'admin' | 'session' | 'worker';

/** Requests a minute that each kind of limit lets through. */
export const rateLimits = {
  default: 300,
  objstore: 6000,
  register: 5,
  /** attempts at one account's password from one network, and from all that the account was never signed in from */
  login: 5,
  loginPerAccount: 10,
  /** wrong passwords from one network, of whichever account */
  wrongPasswords: 30,
  /** wrong tokens and sessions from one network, and wrong secrets of one account's tokens */
  credentials: 60,
  credentialsPerAccount: 300,
} as const;
export type RateKind = keyof typeof rateLimits;

export const tags = [
  'Service',
  'Account',
  'Users',
  'Activity, analytics, usage',
  'Videos',
  'Upload',
  'Streams',
  'Templates',
  'Nodes',
  'SSH keys',
] as const;

/** What is known of an operation without its handler: the router, the validation, the OpenAPI document and the tests are made from it. */
export type RouteFact = {
  operationId: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: `/${string}`;
  /** a GET that changes something: on the session cookie it is refused to other sites as any change is */
  changesState?: true;
  /** the chapter of the published document; without one the operation is not in it */
  tag?: (typeof tags)[number];
  summary?: string;
  description?: string;
  access: Access;
  /** of the answer when all went well; `answer` is absent with 204 */
  status: 200 | 201 | 202 | 204;
  answer?: z.ZodType;
  /** answered instead when the handler has nothing to say */
  emptyStatus?: 204;
  /** default application/json */
  answerType?: 'application/json' | 'text/html';
  /** Without a schema path parameters are texts, for ids that answer 404 when they are not ids. */
  params?: z.ZodType;
  query?: z.ZodType;
  /** Parameters that say which record is meant: one that does not fit it is 404, so nothing else is asked of them. */
  lookupQuery?: z.ZodType;
  body?: z.ZodType;
  bodyOptional?: true;
  /** a body that does what the operation is for, shown in the published document */
  bodyExample?: unknown;
  /** for machines of our own: texts are neither trimmed nor taken for missing when empty */
  bodyVerbatim?: true;
  /** default 1 MiB */
  bodyLimitBytes?: number;
  /** default `default` */
  rate?: RateKind | 'unlimited';
  /** fields of query or body that only administrators may send; 403 for others */
  adminFields?: readonly string[];
  /** a query parameter whose empty text means something */
  emptyAllowed?: readonly string[];
  /** statuses of errors beyond those that follow from the above */
  errors?: readonly (404 | 409 | 413 | 422 | 502)[];
  cacheControl?: string;
  /** what headers of the answer hold, for the published document */
  answerHeaders?: Readonly<Record<string, string>>;
};

/** Whether the operation changes anything, which another site must not cause with a user's session cookie. */
export const isChange = ({ method, changesState }: Pick<RouteFact, 'method' | 'changesState'>): boolean =>
  method !== 'GET' || changesState === true;

/** The names in braces of a path: `{ id: string }` for `/api/tokens/{id}`. */
export type PathParams<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { [Key in Name]: string } & PathParams<Rest>
  : unknown;
