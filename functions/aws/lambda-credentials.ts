import { env, envOr } from '../../shared/environment.ts';

/**
 * Stands in for the SDK's search for credentials when functions are bundled: Lambda always puts them into the environment, and the SDK would bring
 * the clients of four services along to look elsewhere.
 */
export const defaultProvider = () => async () => ({
  accessKeyId: env('AWS_ACCESS_KEY_ID'),
  secretAccessKey: env('AWS_SECRET_ACCESS_KEY'),
  sessionToken: envOr('AWS_SESSION_TOKEN', ''),
});
