import type { VideoSource } from '../../../shared/protocol/encode-spec.ts';
import type { ProbeResult, VideoTrack } from '../../../shared/protocol/probe-result.ts';
import { displaySize } from './display-size.ts';

/** The encoder's view of a probed track. */
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
    colorPrimaries: track.colorPrimaries,
    colorTransfer: track.colorTransfer,
    colorSpace: track.colorSpace,
    colorRange: track.colorRange,
    hdr10: track.hdr10,
  };
}

type SourceClock = Pick<ProbeResult, 'formatName' | 'clockSections'>;

/** What a job that reads the source must know of its times. */
export const sourceClock = ({
  formatName,
  clockSections,
}: SourceClock): Pick<VideoSource, 'formatName' | 'clockSections'> => ({
  formatName,
  ...(clockSections.length > 0 ? { clockSections } : {}),
});
