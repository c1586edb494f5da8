import { timestamp } from '../../shared/clock.ts';
import { newUlid } from '../common/ids.ts';
import type { Stream } from '../table/records.ts';
import type { PlannedStream } from './encoding-plan.ts';

/** The record of a planned stream before it is encoded. */
export const newStream = (planned: PlannedStream, { id, planNumber }: { id: number; planNumber: number }): Stream => ({
  ulid: newUlid(),
  id,
  planNumber,
  track: planned.name,
  name: planned.name,
  type: planned.type,
  width: planned.width,
  height: planned.height,
  bytes: null,
  language: planned.language,
  channels: planned.channels,
  meta: {},
  inputParams: planned.inputParams,
  errorLog: null,
  status: 'pending',
  createdAt: timestamp(),
});
