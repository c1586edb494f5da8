import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type * as z from 'zod';
import type { PathParams, RouteDeclaration, TokenAbility } from '../contracts/route-declaration.ts';
import type { Session } from '../table/accounts/session-table.ts';
import type { DirectUpload, User } from '../table/records.ts';

/** The context of one request. Each middleware adds to it. */
export type Call = {
  event: APIGatewayProxyEventV2;
  route: Route;
  /** as sent, not yet validated */
  pathParams: Record<string, string>;
  sourceIp: string;
  startedAtMilliseconds: number;
  user: User | undefined;
  /** the result of the route's `identify`, for callers that are not users */
  caller: unknown;
  session: Session | undefined;
  /** what the API token may do that the request is authenticated by */
  abilities: readonly TokenAbility[] | undefined;
  /** what the upload token permits that the request is authenticated by; `user` is its owner then */
  direct: DirectUpload | undefined;
  /** the session cookie as sent, not yet verified */
  sessionSecret: string | undefined;
  /** as sent, normalized, not yet validated */
  rawQuery: Record<string, unknown>;
  rawBody: Record<string, unknown>;
  /** the body of an operation that takes a file */
  file: FileBody | undefined;
  /** set by the handler when it has replaced a record instead of creating one */
  outcome: { isReplaced: boolean };
  params: unknown;
  query: unknown;
  body: unknown;
  found: unknown;
  /** added to the response, also to an error */
  headers: Record<string, string>;
  cookies: string[];
};

/** A body as sent. `isText`: the gateway has decoded it as UTF-8, with U+FFFD for what is not UTF-8. */
export type FileBody = { type: string; bytes: Buffer; isText: boolean };

export type ApiEvent = APIGatewayProxyEventV2 & {
  call: Call;
  /** the origin of the page that sent the request, if upload tokens may be used there */
  uploadOrigin?: string | undefined;
};

type Output<Declaration, Part extends string, Default> =
  Declaration extends Record<Part, infer Schema extends z.ZodType> ? z.output<Schema> : Default;

type CallerUser<Declaration extends RouteDeclaration> = Declaration['access'] extends 'public' | 'worker'
  ? undefined
  : User;

/** The input of a record lookup, which runs before validation. */
export type Lookup<Declaration extends RouteDeclaration = RouteDeclaration> = {
  params: PathParams<Declaration['path']>;
  user: CallerUser<Declaration>;
  direct: DirectUpload | undefined;
  rawQuery: Record<string, unknown>;
};

/**
 * The input of a handler. `found` is the record that the route's lookup loaded, `caller` the result of its `identify`.
 */
export type Request<
  Declaration extends RouteDeclaration = RouteDeclaration,
  Found = undefined,
  Caller = undefined,
> = Pick<
  Call,
  | 'event'
  | 'rawBody'
  | 'file'
  | 'outcome'
  | 'sourceIp'
  | 'startedAtMilliseconds'
  | 'session'
  | 'direct'
  | 'sessionSecret'
  | 'cookies'
  | 'headers'
> & {
  params: Output<Declaration, 'params', PathParams<Declaration['path']>>;
  query: Output<Declaration, 'query', undefined>;
  /** undefined where the operation gets a file instead */
  body: Output<Declaration, 'body', undefined> | (Declaration extends { fileTypes: unknown } ? undefined : never);
  user: CallerUser<Declaration>;
  caller: Caller;
  found: Found;
};

/** The response body in the form that its schema accepts; none with 204. */
export type ResponseBody<Declaration> = Declaration extends { response: infer Schema extends z.ZodType }
  ? z.input<Schema> | (Declaration extends { emptyStatus: 204 } ? undefined : never)
  : // biome-ignore lint/suspicious/noConfusingVoidType: a handler without a response body has no return statement
    void;

export type Route = {
  declaration: RouteDeclaration;
  /** resolves callers that are not users; undefined becomes 401, before the body is parsed */
  identify?: (authorization: string | undefined) => Promise<unknown>;
  /** resolves an upload token; only operations of one upload accept these tokens */
  checkUploadToken?: (token: string) => Promise<{ direct?: DirectUpload; user?: User; ownerUlid?: string }>;
  find?: (lookup: never) => Promise<unknown>;
  handle: (request: never) => Promise<unknown>;
};
