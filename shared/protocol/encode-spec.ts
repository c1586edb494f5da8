import type { AudioCodec, EncoderPreset, PixelFormat, VideoCodec } from '../media/codecs.ts';
import type { Rational } from '../media/rational.ts';
import type { Watermark } from '../media/watermark.ts';
import type { AudioRole } from './audio-roles.ts';
import type { ClockSection, EditShift, PictureChange, PixelAspect, Spherical } from './probe-result.ts';
import type { TrackProperties } from './track-properties.ts';

/**
 * Rate control of a rung: constant quality with an optional maximum, or an average bitrate. Maximum and buffer size
 * define the VBV.
 */
export type RateControl =
  | { mode: 'crf'; crf: number; maxBitrateBps: number | null; bufferBits: number | null }
  | { mode: 'bitrate'; bitrateBps: number; maxBitrateBps: number; bufferBits: number; twoPass: boolean };

/**
 * One video rendition of one source. Sizes are in pixels of the result: `crop` is cut from the upright frame first,
 * `pad` is added last.
 */
export type Rung = {
  name: string;
  codec: VideoCodec;
  width: number;
  height: number;
  crop: { width: number; height: number } | null;
  pad: { width: number; height: number } | null;
  /** of the encoded frame, where even sizes would distort it; 1:1 when absent */
  sampleAspectRatio?: Rational;
  rate: RateControl;
  profile: string | null;
  level: string | null;
  preset: EncoderPreset;
  pixelFormat: PixelFormat;
  /** the source already is what is asked for: its samples are packaged, and encoded only if they are not as declared */
  copied?: true;
};

/**
 * The part of a source that is used: the source times between which its frames or, without video, its sound are, and
 * how many frames of the video track are before it. Its sound can be decoded from `soundFromSeconds` on, where a
 * demuxer can seek to; null for the beginning of the file.
 */
export type SourcePart = {
  startSeconds: number;
  endSeconds: number;
  firstFrame: number;
  soundFromSeconds: number | null;
};

/** How a job has to read the source. */
export type SourceInput = {
  formatName: string;
  /** absent where the clock of the file is continuous */
  clockSections?: ClockSection[];
  /** see `ProbeResult` */
  probeBytes?: number;
  /** absent when all of the source is used */
  part?: SourcePart;
};

/** The video track of the source as the encoder needs it. Ticks are in `timeBase`. */
export type VideoSource = SourceInput & {
  streamIndex: number;
  /** see `VideoTrack` */
  editShifts?: EditShift[];
  timeBase: Rational;
  /** size of the upright frame in square pixels, from which rungs are scaled */
  displayWidth: number;
  displayHeight: number;
  /** see `VideoTrack`; of the upright frame */
  pixelAspects?: PixelAspect[];
  /** see `VideoTrack` */
  spherical?: Spherical;
  /** the part of the upright frame, in decoded pixels, that the picture is; absent for all of it */
  visible?: { left: number; top: number; width: number; height: number };
  /**
   * the frames have an alpha channel; `decoder` is the one that returns it, where that is not FFmpeg's own
   */
  transparency?: { decoder?: 'libvpx' | 'libvpx-vp9' };
  /** behind transparent pixels and in bars, as a number 0xRRGGBB; black when absent */
  backgroundRgb?: number;
  interlaced: boolean;
  /** of interlaced frames; with `double`, ticks of chunks are half of those of `timeBase` */
  deinterlace?: 'off' | 'double';
  /** made of the upright picture after deinterlacing; `displayWidth` and `displayHeight` are the result */
  change?: PictureChange;
  bitDepth: number;
  colorPrimaries: string | null;
  colorTransfer: string | null;
  colorSpace: string | null;
  colorRange: string | null;
  hdr10: Hdr10 | null;
  /** the frames carry closed captions; absent when they carry none */
  closedCaptions?: true;
  /** an image over every rendition and thumbnail, which jobs get as the input `watermark` */
  watermark?: Watermark;
};

/**
 * HDR10 metadata: the mastering display (SMPTE ST 2086) and the content light level (CTA-861.3), in the integers that
 * all codecs carry: chromaticities in 1/50,000, display luminance in 1/10,000 cd/m², content light in cd/m². A part is
 * null when the source lacks it.
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
 * The output frames of a group of rungs: frame n is shown at startTicks + n × ticksPerFrame on a clock of `timescale`
 * ticks per second. `passthrough`: source frame n is output frame n. `grid`: the source has a variable or higher frame
 * rate; its frames are sampled on the grid.
 */
export type FrameGrid = {
  mode: 'passthrough' | 'grid';
  frameRate: Rational;
  timescale: number;
  ticksPerFrame: number;
  startTicks: number;
  /** source time in seconds of output frame 0 */
  sourceStartSeconds: number;
  /**
   * in a grid that leaves out frames, added to the time of each before the nearest output frame is found: the middle
   * between the two frames of the source instead of that between two output frames then divides them
   */
  pictureDelaySeconds?: number;
  gopFrames: number;
  segmentFrames: number;
};

/**
 * Output frames [startFrame, endFrame), a whole number of segments except in the last chunk. In passthrough mode these
 * are the source frames with startPts <= PTS < endPts, and repeats of the first and the last of them. `seekSeconds` is
 * the source time where decoding starts, null for the beginning of the file. `untilByte` is the end of the chunk's
 * frames in the file, null for the end of the file.
 */
export type Chunk = {
  index: number;
  startFrame: number;
  endFrame: number;
  startPts: number;
  endPts: number;
  seekSeconds: number | null;
  untilByte: number | null;
  /** how many frames of the source begin within the chunk, where these are fewer than its own frames */
  pictures?: number;
  /** in passthrough mode, the frames before the first picture of the chunk, which repeat it; absent for none */
  heldBefore?: number;
};

/** For each output channel, in the order of the layout, the source channels that are mixed into it. */
export type AudioMix = { input: number; gain: number }[][];

/**
 * One audio rendition. The track is encoded as a whole, since encoders carry state across cuts. Times are seconds on
 * the output clock.
 */
export type AudioRendition = {
  name: string;
  streamIndex: number;
  /** mono tracks that are its channels, in their order; the first one is `streamIndex` */
  joined?: number[];
  /** its position among the tracks that a template chooses, of which several may have the same tracks of the file */
  chosenTrack?: number;
  codec: AudioCodec;
  bitrateBps: number;
  channels: number;
  /** applied before FFmpeg's mixing, for channels that FFmpeg does not know or would leave out */
  mix?: AudioMix;
  sampleRateHz: number;
  language: string;
  /** the title of the track in the source */
  label?: string;
  roles?: AudioRole[];
  loudnessLufs: number | null;
  segmentSeconds: number;
};

/**
 * A media segment, with times from its boxes in ticks of the track. `file` is relative to the job's output folder. The
 * first `keyFrameBytes` of a video segment contain its first frame.
 */
export type Segment = {
  file: string;
  bytes: number;
  startTicks: number;
  durationTicks: number;
  keyFrameBytes?: number | undefined;
};

/** A track encoded by one job, with everything that manifests need, so that packaging reads no media. */
export type EncodedTrack = {
  name: string;
  /** RFC 6381 string of the sample entry, such as `avc1.640028` */
  codecs: string;
  timescale: number;
  init: { file: string; bytes: number; sha256: string };
  segments: Segment[];
  /** the samples are those of the source, unchanged */
  copied?: true | undefined;
  /** present for audio tracks, and for the first chunk of video tracks */
  facts?: TrackProperties | undefined;
};
