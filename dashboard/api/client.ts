import type { Fetch } from '../../client/api.ts';
import { createClient } from '../../client/create-client.ts';
import { watchConnection } from './connection.ts';
import { sessionEnded } from './current-user.ts';
import { createEtagFetch } from './etag-fetch.ts';

const signOutOnUnauthenticated =
  (fetch: Fetch): Fetch =>
  async (request) => {
    const response = await fetch(request);
    if (response.status === 401) sessionEnded();
    return response;
  };

const etags = createEtagFetch(watchConnection((request) => globalThis.fetch(request)));

/** The client of all screens. It sends the session cookie of the page. */
export const client = createClient({ url: location.origin, fetch: signOutOnUnauthenticated(etags.fetch) });
export const { api } = client;

/** Forgets all responses, so that the next user of this tab sees none of them. */
export const forgetResponses = etags.clear;
