import { join } from 'node:path';
import { createSiteHandler } from '../site/site-handler.ts';

/** The default route of the gateway: the pages, and the responses for paths that no other function has. */
export const handler = createSiteHandler(join(import.meta.dirname, 'site'));
