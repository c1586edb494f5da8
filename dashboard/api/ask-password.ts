import { signal } from '@preact/signals';
import type { Fetch } from '../../client/api.ts';
import { session, sessionEnded } from './current-user.ts';

type Reason = 'sessionEnded' | 'confirmation';
type Question = { reason: Reason; settle(isGiven: boolean): void };

/** The password of the user is asked for: the session has ended, or its sign-in is too long ago for a request. */
export const passwordQuestion = signal<Question | undefined>(undefined);

/** The promise of the open question. */
let asked: Promise<boolean> | undefined;
/** When the password was given last, in milliseconds of the page. */
let givenAt = Number.NEGATIVE_INFINITY;

/**
 * Lets requests wait that need the password of the user again, and sends them again when it is given: what the user has
 * entered in the page stays. Otherwise they fail with the response that they had.
 */
export const askingForPassword = (fetch: Fetch): Fetch =>
  async function send(request): Promise<Response> {
    const again = request.clone();
    const begunAt = performance.now();
    const response = await fetch(request);
    const reason = session.value ? await reasonOf(response) : undefined;
    if (reason === undefined) return response;
    if (!waitsForPassword(request)) {
      if (reason === 'sessionEnded') endSession();
      return response;
    }
    return begunAt < givenAt || (await ask(reason)) ? send(again) : response;
  };

async function reasonOf(response: Response): Promise<Reason | undefined> {
  if (response.status === 401) return 'sessionEnded';
  if (response.status !== 403) return undefined;
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  const code = (body as { code?: unknown } | undefined)?.code;
  return code === 'password_confirmation_required' ? 'confirmation' : undefined;
}

/** A sign-out needs no session any more, and the confirmation is the answer to the question. */
const waitsForPassword = ({ url }: Request): boolean =>
  !['/logout', '/api/session/confirm'].includes(new URL(url).pathname);

/** The session has ended while its confirmation was asked for, or when its user signed out. */
function endSession(): void {
  if (passwordQuestion.value) passwordQuestion.value = { ...passwordQuestion.value, reason: 'sessionEnded' };
  else sessionEnded();
}

/** All requests wait for one question. Resolves to whether the password was given. */
function ask(reason: Reason): Promise<boolean> {
  if (asked) {
    if (reason === 'sessionEnded') endSession();
    return asked;
  }
  asked = new Promise((resolve) => {
    passwordQuestion.value = {
      reason,
      settle: (isGiven) => {
        asked = undefined;
        if (isGiven) givenAt = performance.now();
        passwordQuestion.value = undefined;
        resolve(isGiven);
      },
    };
  });
  return asked;
}
