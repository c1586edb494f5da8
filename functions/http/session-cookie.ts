import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { sessionSeconds } from '../table/accounts/session-table.ts';

const attributes = 'Path=/; HttpOnly; Secure; SameSite=Lax';

export const sessionCookie = (secret: string): string => `session=${secret}; ${attributes}; Max-Age=${sessionSeconds}`;

export const clearedSessionCookie = `session=; ${attributes}; Max-Age=0`;

/** The session cookie of a request, if it is well-formed. */
export function readSessionCookie(event: APIGatewayProxyEventV2): string | undefined {
  const found = event.cookies?.map((cookie) => cookie.trim()).find((cookie) => cookie.startsWith('session='));
  const secret = found?.slice('session='.length);
  return secret !== undefined && /^[A-Za-z0-9]{40}$/.test(secret) ? secret : undefined;
}
