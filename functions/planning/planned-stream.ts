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
