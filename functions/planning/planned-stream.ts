import { timestamp } from '../../shared/clock.ts';
import { newUlid } from '../common/ids.ts';
import type { Stream } from '../table/records.ts';
import type { PlannedAudio } from './audio/audio-plan.ts';
import type { PlannedStream } from './encoding-plan.ts';
import { audioParams, videoParams } from './stream-params.ts';
import type { Variant } from './stream-variants.ts';
import { frameSize, type PlannedRung } from './video/rungs.ts';

export const videoStream = ({ item, name }: Variant<PlannedRung>): PlannedStream => ({
  name,
  type: 'video',
  inputParams: videoParams(item),
  ...frameSize(item.rung),
  language: null,
  channels: null,
});

export const audioStream = ({ item, name }: Variant<PlannedAudio>): PlannedStream => ({
  name,
  type: 'audio',
  inputParams: audioParams(item),
  width: null,
  height: null,
  language: item.rendition.language,
  channels: item.rendition.channels,
});

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
