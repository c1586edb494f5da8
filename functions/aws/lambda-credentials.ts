import { readEnvironment } from '../../shared/environment.ts';

/**
 * Replaces the SDK's default credential provider in bundled functions. Lambda always sets the credentials in the
 * environment; the default provider would add the clients of four other services to each bundle.
 */
export const defaultProvider = () => async () => ({
  accessKeyId: readEnvironment('AWS_ACCESS_KEY_ID'),
  secretAccessKey: readEnvironment('AWS_SECRET_ACCESS_KEY'),
  sessionToken: readEnvironment('AWS_SESSION_TOKEN') ?? '',
});
