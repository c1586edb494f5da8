import type { operations } from '../../../client/api-types.ts';

export type QueueData = operations['readQueue']['responses'][200]['content']['application/json']['data'];
type JobKind = QueueData['kinds'][number]['kind'];

/** The kinds in the order in which a video needs them. */
const order: readonly JobKind[] = [
  'ingest',
  'probe',
  'quality',
  'encode-video',
  'encode-audio',
  'thumbnails',
  'text',
  'package',
  'transcribe',
  'deliver',
];

/** The kinds of which there are jobs in the queue: the columns of its table. */
export const kindsOf = ({ kinds }: Pick<QueueData, 'kinds'>): JobKind[] =>
  order.filter((kind) => kinds.some((one) => one.kind === kind && one.jobs > 0));
