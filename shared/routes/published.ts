import { accountRoutes } from './account.ts';
import { nodeRoutes } from './nodes.ts';
import { openUploadRoutes } from './open-uploads.ts';
import { activityRoutes, analyticsRoutes, usageRoutes } from './reports.ts';
import type { RouteFact } from './route-fact.ts';
import { serviceRoutes } from './service.ts';
import { sshKeyRoutes } from './ssh-keys.ts';
import { streamRoutes } from './streams.ts';
import { templateRoutes } from './templates.ts';
import { tokenRoutes } from './tokens.ts';
import { uploadRoutes } from './uploads.ts';
import { userRoutes } from './users.ts';
import { outputRoutes, videoRoutes } from './videos.ts';

/** Every operation of the published document. Handlers import their own routes only: a bundle should not carry the schemas of all. */
export const publishedRoutes: readonly RouteFact[] = [
  serviceRoutes,
  accountRoutes,
  tokenRoutes,
  userRoutes,
  activityRoutes,
  analyticsRoutes,
  usageRoutes,
  videoRoutes,
  outputRoutes,
  uploadRoutes,
  openUploadRoutes,
  streamRoutes,
  templateRoutes,
  nodeRoutes,
  sshKeyRoutes,
].flatMap((routes): RouteFact[] => Object.values(routes));
