import type { Packet } from '../../ffmpeg/ffprobe-args.ts';
import type { Movie } from '../../isobmff/movie.ts';
import type { MovieTrack } from '../../isobmff/track.ts';

/** What the packets of one stream show: headers do not know their number, and a stream may start late. */
export type StreamSurvey = {
  packets: number;
  startPts: number;
  endPts: number;
  /** bytes of all packets of the file up to its first key packet, from which a demuxer learns its parameters */
  bytesUntilKey: number | undefined;
};
/** By stream index. Streams without packets are missing. */
export type Survey = ReadonlyMap<number, StreamSurvey>;

/** Surveys the packets of all streams in the order in which the demuxer returns them. */
export function createSurvey(): { add: (packet: Packet) => void; streams: Survey } {
  const streams = new Map<number, StreamSurvey>();
  let bytes = 0;
  return {
    add: ({ streamIndex, pts, durationTicks, bytes: packetBytes, isKey }) => {
      bytes += packetBytes;
      const stream = streams.get(streamIndex);
      const endPts = pts + durationTicks;
      const keyBytes = isKey ? bytes : undefined;
      if (!stream) streams.set(streamIndex, { packets: 1, startPts: pts, endPts, bytesUntilKey: keyBytes });
      else {
        stream.packets += 1;
        stream.startPts = Math.min(stream.startPts, pts);
        stream.endPts = Math.max(stream.endPts, endPts);
        stream.bytesUntilKey ??= keyBytes;
      }
    },
    streams,
  };
}

/** The same from the index of an MP4, whose demuxer returns the packets of all streams by their decode times. */
export function surveyMovie({ tracks }: Movie): Survey {
  const surveyed = tracks.flatMap(({ samples, shiftTicks, timescale, durationTicks }, streamIndex) => {
    if (samples.length === 0) return [];
    const startPts = samples.decodeTicks[0]! + shiftTicks + samples.compositionOffsets[0]!;
    const bytesUntilKey = bytesUntil(tracks, samples.decodeTicks[0]! / timescale);
    return [
      [streamIndex, { packets: samples.length, startPts, endPts: startPts + durationTicks, bytesUntilKey }] as const,
    ];
  });
  return new Map(surveyed);
}

function bytesUntil(tracks: MovieTrack[], seconds: number): number {
  let bytes = 0;
  for (const { samples, timescale } of tracks) {
    for (let n = 0; n < samples.length && samples.decodeTicks[n]! <= seconds * timescale; n++)
      bytes += samples.bytes[n]!;
  }
  return bytes;
}
