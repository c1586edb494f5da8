import { setFlagsFromString } from 'node:v8';

/**
 * Lets V8 free the buffers of received and sent bytes early. It collects new buffers only when they hold twice the
 * largest size of a half of the space for new objects: 64 MiB by default, however little of it is in use. The limit is
 * read at each allocation, so it can be set here, for every way in which the worker is started.
 */
export const collectBuffersEarly = (): void => setFlagsFromString('--scavenger-max-new-space-capacity-mb=1');
