import { displaySize } from './display-size.ts';
import type { VideoSource } from './encode.ts';
import type { VideoTrack } from './probe.ts';

/** The encoder's view of a probed track. */
export function videoSource(track: VideoTrack, formatName: string): VideoSource {
  const display = displaySize(track);
  return {
    streamIndex: track.streamIndex,
    formatName,
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
