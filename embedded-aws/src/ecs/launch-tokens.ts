import { hash } from 'node:crypto';
import { ServiceError } from '../control/json-protocol.ts';

/** The oldest tokens are forgotten. ECS keeps them for a day. */
const maxTokens = 1000;

export type LaunchTokens = ReturnType<typeof createLaunchTokens>;

/** A call of RunTask that repeats a client token starts nothing and gets the answer of the first call. */
export function createLaunchTokens() {
  const launches = new Map<string, { digest: string; response: Promise<object> }>();
  return {
    once(token: unknown, request: object, launch: () => Promise<object>): Promise<object> {
      if (typeof token !== 'string' || token === '') return launch();
      const digest = hash('sha256', JSON.stringify(request));
      const earlier = launches.get(token);
      if (earlier && earlier.digest !== digest) {
        throw new ServiceError('ConflictException', 'The client token was used before with other parameters.');
      }
      if (earlier) return earlier.response;
      const response = launch();
      launches.set(token, { digest, response });
      // A call that was refused has started nothing, so that it may be repeated.
      response.catch(() => launches.delete(token));
      for (const oldest of [...launches.keys()].slice(0, -maxTokens)) launches.delete(oldest);
      return response;
    },
  };
}
