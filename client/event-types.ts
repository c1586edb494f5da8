// Generated from the contract by `npm run generate:client`. Do not edit.

/** What webhooks and the list of events report. */
export const eventTypes = [
  'upload.completed',
  'video.created',
  'video.playable',
  'video.completed',
  'video.failed',
  'video.deleted',
  'video.reprocessing',
  'video.replace_failed',
  'output.completed',
  'output.failed',
  'stream.completed',
  'stream.failed',
  'captions.added',
  'captions.failed',
  'ingest.failed',
  'delivery.completed',
  'delivery.failed',
  'node.failed',
  'node.recovered',
] as const;
