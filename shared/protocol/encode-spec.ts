import type { AudioCodec, EncoderPreset, PixelFormat, VideoCodec } from '../media/codecs.ts';
import type { Rational } from '../media/rational.ts';
import type { ClockSection, EditShift } from './probe-result.ts';
import type { TrackFacts } from './track-facts.ts';

/** How a rung spends bits: constant quality with an optional cap, or an average. Buffer and cap bound the decoder's buffer. */
export type RateControl =
  | { mode: 'crf'; crf: number; maxBitrateBps: number | null; bufferBits: number | null }
  | { mode: 'bitrate'; bitrateBps: number; maxBitrateBps: number; bufferBits: number; twoPass: boolean };

/** One video rendition for one source. Pixels are of the result; `crop` is taken from the upright picture first, `pad` added last. */
export type Rung = {
  name: string;
  codec: VideoCodec;
  width: number;
  height: number;
  crop: { width: number; height: number } | null;
  pad: { width: number; height: number } | null;
  /** the shape of a pixel, where even sizes cannot give the picture its own; square when left out */
  sampleAspectRatio?: Rational;
  rate: RateControl;
  profile: string | null;
  level: string | null;
  preset: EncoderPreset;
  pixelFormat: PixelFormat;
};

/** What an encoder must know of the source's video track. Ticks are in `timeBase`. */
export type VideoSource = {
  streamIndex: number;
  formatName: string;
  /** left out where the clock of the file runs through */
  clockSections?: ClockSection[];
  /** as of `VideoTrack` */
  editShifts?: EditShift[];
  timeBase: Rational;
  /** the upright picture in square pixels, which rungs are scaled from */
  displayWidth: number;
  displayHeight: number;
  interlaced: boolean;
  bitDepth: number;
  colorPrimaries: string | null;
  colorTransfer: string | null;
  colorSpace: string | null;
  colorRange: string | null;
  hdr10: Hdr10 | null;
};

/**
 * What an HDR10 stream says of the screen it was graded on (SMPTE ST 2086) and of its light (CTA-861.3), in the integers that all codecs carry:
 * chromaticities in 1/50,000, the screen's luminance in 1/10,000 cd/m², content light in cd/m². A part is null when the source does not say it.
 */
export type Hdr10 = {
  screen: {
    red: [x: number, y: number];
    green: [x: number, y: number];
    blue: [x: number, y: number];
    white: [x: number, y: number];
    maxLuminance: number;
    minLuminance: number;
  } | null;
  light: { maxContent: number; maxFrameAverage: number } | null;
};

/**
 * Rungs that share a frame grid: frame n is shown at startTicks + n × ticksPerFrame on a clock of `timescale` ticks a second.
 * `passthrough`: source frame n is output frame n. `grid`: the source varies or is faster, frames are picked on the grid.
 */
export type FrameGrid = {
  mode: 'passthrough' | 'grid';
  frameRate: Rational;
  timescale: number;
  ticksPerFrame: number;
  startTicks: number;
  /** source time in seconds of output frame 0 */
  sourceStartSeconds: number;
  gopFrames: number;
  segmentFrames: number;
};

/**
 * Output frames [startFrame, endFrame), a whole number of segments but for the last chunk. In passthrough mode the source frames with
 * startPts <= PTS < endPts. `seekSeconds` is where decoding starts (source time), null for the beginning of the file. `untilByte` is how far into the
 * file its frames reach, null for the end.
 */
export type Chunk = {
  index: number;
  startFrame: number;
  endFrame: number;
  startPts: number;
  endPts: number;
  seekSeconds: number | null;
  untilByte: number | null;
};

/** For each channel of a layout, in its order, what it takes of the source's channels. */
export type AudioMix = { input: number; gain: number }[][];

/** One audio rendition: a source track encoded whole, since encoders carry state over any cut. Times are in seconds of the output clock. */
export type AudioRendition = {
  name: string;
  streamIndex: number;
  codec: AudioCodec;
  bitrateBps: number;
  channels: number;
  /** before FFmpeg's own mixing: the channels of a source that FFmpeg does not know, or would leave out */
  mix?: AudioMix;
  sampleRateHz: number;
  language: string;
  loudnessLufs: number | null;
  segmentSeconds: number;
};

/**
 * A media segment as its boxes say, in ticks of the track. `file` is relative to the job's output folder. Of video, the first `keyFrameBytes` of the
 * file are all that a decoder needs to show its first frame.
 */
export type Segment = {
  file: string;
  bytes: number;
  startTicks: number;
  durationTicks: number;
  keyFrameBytes?: number | undefined;
};

/** A track as encoded by one job: what packaging needs to write manifests without reading media. */
export type EncodedTrack = {
  name: string;
  /** RFC 6381 string of the sample entry, such as `avc1.640028` */
  codecs: string;
  timescale: number;
  init: { file: string; bytes: number; sha256: string };
  segments: Segment[];
  /** of a whole audio track, and of the first chunk of a video track */
  facts?: TrackFacts | undefined;
};
