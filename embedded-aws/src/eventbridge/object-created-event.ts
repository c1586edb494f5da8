import { hash } from 'node:crypto';
import type { ObjectEvent } from '../s3/protocol/bucket-settings.ts';

/**
 * The "Object Created" event of EventBridge. Its id is derived from the event, so that a repeated delivery has the same
 * id.
 */
export function objectCreatedEvent(event: ObjectEvent, place: { region: string; accountId: string }) {
  const { bucket, key, size, etag, sequencer, reason, time } = event;
  const id = uuidOf(`${bucket}/${key}/${sequencer}`);
  return {
    version: '0',
    id,
    'detail-type': 'Object Created',
    source: 'aws.s3',
    account: place.accountId,
    time: `${time.slice(0, 19)}Z`,
    region: place.region,
    resources: [`arn:aws:s3:::${bucket}`],
    detail: {
      version: '0',
      bucket: { name: bucket },
      object: { key, size, etag, sequencer },
      'request-id': id.replaceAll('-', '').slice(0, 16).toUpperCase(),
      requester: place.accountId,
      'source-ip-address': '127.0.0.1',
      reason,
    },
  };
}

function uuidOf(text: string): string {
  const hex = hash('sha256', text);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}
