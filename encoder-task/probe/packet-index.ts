import type { Packet } from '../ffmpeg/probe.ts';

/** A frame of the video track; ticks of the track. */
export type Frame = Pick<Packet, 'pts' | 'durationTicks' | 'isKey' | 'isShown'>;
/** `listed` counts all packets of the track, those that are never shown included. */
export type VideoPackets = { frames: Frame[]; bytes: number; listed: number };
/** When an audio track is heard, in its ticks. */
export type AudioSpan = { startPts: number; endPts: number };
export type PacketIndex = { video: VideoPackets; audio: Map<number, AudioSpan> };

/** Collects packets in file order; `finish` gives the frames in the order in which they are shown. */
export function createPacketIndex(videoStream: number | undefined): {
  add: (packet: Packet) => void;
  finish: () => PacketIndex;
} {
  const frames: Frame[] = [];
  const audio = new Map<number, AudioSpan>();
  let bytes = 0;
  return {
    add: ({ streamIndex, bytes: packetBytes, ...frame }) => {
      if (streamIndex === videoStream) {
        frames.push(frame);
        bytes += packetBytes;
        return;
      }
      if (!frame.isShown) return;
      const span = audio.get(streamIndex);
      const endPts = frame.pts + frame.durationTicks;
      if (!span) audio.set(streamIndex, { startPts: frame.pts, endPts });
      else {
        span.startPts = Math.min(span.startPts, frame.pts);
        span.endPts = Math.max(span.endPts, endPts);
      }
    },
    finish: () => ({
      video: { frames: inShownOrder(decodable(frames).filter((frame) => frame.isShown)), bytes, listed: frames.length },
      audio,
    }),
  };
}

/**
 * Without what was cut off from its key frame: packets before the first one, and frames that are shown before it though they follow it
 * (the leading pictures of an open GOP, which refer to the GOP before).
 */
function decodable(frames: Frame[]): Frame[] {
  const first = frames.findIndex((frame) => frame.isKey);
  if (first === -1) return [];
  const firstPts = frames[first]!.pts;
  return frames.slice(first).filter((frame) => frame.pts >= firstPts);
}

/** Two packets with one time are one picture: the second field, or a repeat that a player never shows. */
function inShownOrder(frames: Frame[]): Frame[] {
  const sorted = frames.toSorted((a, b) => a.pts - b.pts);
  return sorted.filter((frame, n) => n === 0 || frame.pts !== sorted[n - 1]!.pts);
}
