import type { VideoSource } from '../../../shared/protocol/encode-spec.ts';
import type { ProbeResult, VideoTrack } from '../../../shared/protocol/probe-result.ts';
import { displaySize } from './display-size.ts';
import { sourceColor } from './source-color.ts';

/** A probed track as jobs get it. */
export function videoSource(track: VideoTrack, probe: SourceClock): VideoSource {
  const display = displaySize(track);
  return {
    ...sourceClock(probe),
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

type SourceClock = Pick<ProbeResult, 'formatName' | 'clockSections'>;

/** What a job needs to interpret the timestamps of the source. */
export const sourceClock = ({
  formatName,
  clockSections,
}: SourceClock): Pick<VideoSource, 'formatName' | 'clockSections'> => ({
  formatName,
  ...(clockSections.length > 0 ? { clockSections } : {}),
});
