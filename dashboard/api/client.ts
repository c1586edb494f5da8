import { createClient } from '../../client/create-client.ts';
import { askingForPassword } from './ask-password.ts';
import { watchConnection } from './connection.ts';
import { createEtagFetch } from './etag-fetch.ts';

const etags = createEtagFetch(watchConnection((request) => globalThis.fetch(request)));

/** The client of all screens. It sends the session cookie of the page. */
export const client = createClient({ url: location.origin, fetch: askingForPassword(etags.fetch) });
export const { api } = client;

/** Forgets all responses, so that the next user of this tab sees none of them. */
export const forgetResponses = etags.clear;
