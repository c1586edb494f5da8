/** What webhooks and the event bus report. */
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
export type EventType = (typeof eventTypes)[number];

/** The event that tests a webhook. Nothing subscribes to it: it goes to the tested webhook only. */
export const testEventType = 'webhook.test';

/** Events of the administrators: every webhook of an administrator can receive them. */
export const isAdministratorEvent = (type: string): boolean => type.startsWith('node.');
