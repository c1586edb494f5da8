import type { RouteDeclaration } from './route-declaration.ts';
import { accountRoutes } from './routes/account-routes.ts';
import { captionRoutes } from './routes/caption-routes.ts';
import { directUploadRoutes } from './routes/direct-upload-routes.ts';
import { embedRoutes, embedTokenRoutes } from './routes/embed-routes.ts';
import { imageRoutes } from './routes/image-routes.ts';
import { ingestBatchRoutes, ingestRoutes } from './routes/ingest-routes.ts';
import { jobRoutes } from './routes/job-routes.ts';
import { nodeRoutes } from './routes/node-routes.ts';
import { objstoreRoutes } from './routes/objstore-routes.ts';
import { queueRoutes } from './routes/queue-routes.ts';
import { activityRoutes, analyticsRoutes, usageRoutes } from './routes/report-routes.ts';
import { serviceRoutes } from './routes/service-routes.ts';
import { settingsRoutes } from './routes/settings-routes.ts';
import { sshKeyRoutes } from './routes/ssh-key-routes.ts';
import { storageDeliveryRoutes } from './routes/storage-delivery-routes.ts';
import { storageRoutes } from './routes/storage-routes.ts';
import { streamRoutes } from './routes/stream-routes.ts';
import { templateRoutes } from './routes/template-routes.ts';
import { tokenRoutes } from './routes/token-routes.ts';
import { uploadRoutes } from './routes/upload-routes.ts';
import { userRoutes } from './routes/user-routes.ts';
import { outputRoutes, videoRoutes } from './routes/video-routes.ts';
import { eventRoutes, webhookRoutes } from './routes/webhook-routes.ts';

/**
 * All operations of the published document. Handlers import only their own routes, so that a bundle does not contain
 * all schemas.
 */
export const publishedRoutes: readonly RouteDeclaration[] = [
  serviceRoutes,
  settingsRoutes,
  accountRoutes,
  tokenRoutes,
  userRoutes,
  activityRoutes,
  analyticsRoutes,
  usageRoutes,
  videoRoutes,
  captionRoutes,
  storageDeliveryRoutes,
  jobRoutes,
  outputRoutes,
  embedTokenRoutes,
  { oembed: embedRoutes.oembed },
  objstoreRoutes,
  uploadRoutes,
  directUploadRoutes,
  ingestRoutes,
  ingestBatchRoutes,
  storageRoutes,
  streamRoutes,
  templateRoutes,
  imageRoutes,
  webhookRoutes,
  eventRoutes,
  nodeRoutes,
  queueRoutes,
  sshKeyRoutes,
].flatMap((routes): RouteDeclaration[] => Object.values(routes));
