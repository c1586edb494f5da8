import { randomBytes } from 'node:crypto';
import { createParameter } from '../../aws/parameters.ts';
import { customResource } from './custom-resource.ts';

/**
 * A custom resource: the secret header that the distribution adds to its requests to the API. It is created once and
 * kept when the resource is deleted, as the other secrets of the stage are.
 */
export const handler = customResource({
  physicalId: 'origin-secret',
  provide: async () => ({ Value: await createParameter('origin-secret', randomBytes(32).toString('base64url')) }),
  remove: async () => {},
});
