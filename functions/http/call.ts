import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type * as z from 'zod';
import type { PathParams, RouteFact } from '../contracts/route-fact.ts';
import type { Session } from '../table/accounts/session-table.ts';
import type { User } from '../table/records.ts';

/** One request on its way through the stack; each step fills in what it finds out. */
export type Call = {
  event: APIGatewayProxyEventV2;
  route: Route;
  /** of the path, as sent */
  pathParams: Record<string, string>;
  sourceIp: string;
  startedAtMilliseconds: number;
  user: User | undefined;
  /** what the route's own `identify` found out of a caller that is no user */
  caller: unknown;
  session: Session | undefined;
  /** the session cookie as sent, whether or not it was looked at */
  sessionSecret: string | undefined;
  /** as sent, tidied, not yet validated */
  rawQuery: Record<string, unknown>;
  rawBody: Record<string, unknown>;
  params: unknown;
  query: unknown;
  body: unknown;
  found: unknown;
  /** go with the answer, whatever it will be */
  headers: Record<string, string>;
  cookies: string[];
};

export type ApiEvent = APIGatewayProxyEventV2 & { call: Call };

type Output<Fact, Part extends string, Otherwise> =
  Fact extends Record<Part, infer Schema extends z.ZodType> ? z.output<Schema> : Otherwise;

type Signed<Fact extends RouteFact> = Fact['access'] extends 'public' | 'worker' ? undefined : User;

/** What is known when a record is looked up: everything but what validation has yet to say. */
export type Lookup<Fact extends RouteFact = RouteFact> = {
  params: PathParams<Fact['path']>;
  user: Signed<Fact>;
  rawQuery: Record<string, unknown>;
};

/** What a handler is given. `found` is what the route's lookup found, `caller` what its `identify` did. */
export type Request<Fact extends RouteFact = RouteFact, Found = undefined, Caller = undefined> = Pick<
  Call,
  'event' | 'rawBody' | 'sourceIp' | 'startedAtMilliseconds' | 'session' | 'sessionSecret' | 'cookies' | 'headers'
> & {
  params: Output<Fact, 'params', PathParams<Fact['path']>>;
  query: Output<Fact, 'query', undefined>;
  body: Output<Fact, 'body', undefined>;
  user: Signed<Fact>;
  caller: Caller;
  found: Found;
};

/** The answer's body as its schema takes it; nothing with 204. */
export type Answer<Fact> = Fact extends { answer: infer Schema extends z.ZodType }
  ? z.input<Schema> | (Fact extends { emptyStatus: 204 } ? undefined : never)
  : // biome-ignore lint/suspicious/noConfusingVoidType: a handler without an answer has no return statement
    void;

export type Route = {
  fact: RouteFact;
  /** who calls, of routes that are not for users; undefined is answered 401 before the body is looked at */
  identify?: (authorization: string | undefined) => Promise<unknown>;
  find?: (lookup: never) => Promise<unknown>;
  handle: (request: never) => Promise<unknown>;
};
