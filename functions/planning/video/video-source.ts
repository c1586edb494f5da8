import type { VideoSource } from '../../../shared/protocol/encode-spec.ts';
import type { ProbeResult, VideoTrack } from '../../../shared/protocol/probe-result.ts';
import { displaySize } from './display-size.ts';
import { sourceColor } from './source-color.ts';

/** A probed track as jobs get it. */
export function videoSource(track: VideoTrack, probe: SourceInput): VideoSource {
  const display = displaySize(track);
  return {
    ...sourceInput(probe),
    ...(track.editShifts ? { editShifts: track.editShifts } : {}),
    streamIndex: track.streamIndex,
    timeBase: track.timeBase,
    displayWidth: display.width,
    displayHeight: display.height,
    interlaced: track.interlaced,
    bitDepth: track.bitDepth,
    ...sourceColor(track),
    colorRange: track.colorRange,
    hdr10: track.hdr10,
    ...(track.closedCaptions && { closedCaptions: true as const }),
  };
}

type SourceInput = Pick<ProbeResult, 'formatName' | 'clockSections' | 'probeBytes'>;

/** What a job needs to find the streams of the source and to interpret their timestamps. */
export const sourceInput = ({
  formatName,
  clockSections,
  probeBytes,
}: SourceInput): Pick<VideoSource, 'formatName' | 'clockSections' | 'probeBytes'> => ({
  formatName,
  ...(clockSections.length > 0 ? { clockSections } : {}),
  ...(probeBytes === undefined ? {} : { probeBytes }),
});
