import { bodyOf } from '../../client/api.ts';
import { ApiError } from '../../client/api-error.ts';
import { api, forgetResponses } from './client.ts';
import { session, sessionEnded } from './current-user.ts';

/** Finds out who is signed in. Throws if the service does not answer. */
export async function loadSession(): Promise<void> {
  try {
    session.value = await bodyOf(api.GET('/api/me'));
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
  }
}

export async function signIn(body: { email: string; password: string }): Promise<void> {
  await api.POST('/login', { body });
  forgetResponses();
  await loadSession();
}

/** Confirms the session with the password of its user, for the changes that need that. */
export async function confirmSession(password: string): Promise<void> {
  await api.POST('/api/session/confirm', { body: { password } });
}

export type Registration = { name: string; email: string; password: string; password_confirmation: string };

export async function signUp(body: Registration): Promise<void> {
  await api.POST('/register', { body });
  forgetResponses();
  await loadSession();
}

/** @param options `everywhere` ends all sessions of the user, on all devices */
export async function signOut({ everywhere = false } = {}): Promise<void> {
  await api.POST('/logout', { body: { everywhere } });
  forgetResponses();
  sessionEnded();
}
