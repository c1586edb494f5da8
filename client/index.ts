// biome-ignore-all lint/performance/noBarrelFile: the entry point of the package
export { bodyOf } from './api.ts';
export { ApiError, type ErrorCode } from './api-error.ts';
export type { components, operations, paths } from './api-types.ts';
export { type Client, createClient } from './create-client.ts';
export { createToken } from './create-token.ts';
export { type FailedOutput, failedOutputs, reasonOf } from './failure-reasons.ts';
export { UnreadableFileError } from './upload/unreadable-file-error.ts';
export type { PictureSettings, StartedUpload, TrackSettings, UploadOptions } from './upload/upload-file.ts';
export type { Video, WaitOptions } from './wait-for-video.ts';
export {
  type VerifyOptions,
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
} from './webhooks/verify-webhook.ts';
export { type WebhookErrorCode, WebhookVerificationError } from './webhooks/webhook-error.ts';
