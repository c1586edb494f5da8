import * as z from 'zod';
import { audioRoles } from './audio-roles.ts';
import { copyPropertiesSchema } from './copy-properties.ts';
import { decisionSchema, maxDecisions } from './decisions.ts';
import { sourceMetaSchema } from './probe-document.ts';
import { maxChapters, maxTextTracks, textTrackSchema, trackTitleSchema } from './text-tracks.ts';

/** 24 hours at 60 fps. The frame index must fit in the memory of a function. */
export const maxFrames = 24 * 3600 * 60;
/** Packet times in ticks of their track. Sums and differences of two of them are exact integers. */
export const maxTicks = 2 ** 51;
/** More than a hundred days. Files with a few wrong packet times can be that long; plans refuse them. */
export const maxSourceSeconds = 10_000_000;
/** Timestamps of live recordings may count from 1970. */
export const maxStartSeconds = 10_000_000_000;
/** The size limit of S3 for one object. */
export const maxObjectBytes = 5 * 2 ** 40;
export const maxPictureSide = 2 ** 16;
/** 8192 × 4320. A decoder rejects a larger frame before it allocates memory for it. */
export const maxPixels = 8192 * 4320;
export const maxSampleRateHz = 1_536_000;

/** Containers store numerator and denominator in 32 bits. */
const rational = z.object({
  num: z
    .int()
    .positive()
    .max(2 ** 32),
  den: z
    .int()
    .positive()
    .max(2 ** 32),
});
/** Terms of an average that is near no standard rate are frame counts times ticks, so they may be large. */
const frameRate = z
  .object({ num: z.int().positive(), den: z.int().positive() })
  .refine(({ num, den }) => num >= den && num <= 240 * den, 'must be within 1 to 240');
const ticks = z.int().min(-maxTicks).max(maxTicks);
const seconds = z.number().min(0.000_000_001).max(maxSourceSeconds);
/** CPU time of one job. */
export const cpuSecondsSchema = z.number().min(0).max(10_000_000);
const pictureSide = z.int().min(1).max(maxPictureSide);
const margin = z.int().min(0).max(maxPictureSide);

const chromaticity = z.tuple([z.int().min(0).max(0xffff), z.int().min(0).max(0xffff)]);
const luminance = z.int().min(0).max(0xffff_ffff);
const contentLight = z.int().min(0).max(0xffff);

/** `Hdr10` of encode-spec.ts, within the field sizes of the formats. */
const hdr10Schema = z.object({
  screen: z
    .object({
      red: chromaticity,
      green: chromaticity,
      blue: chromaticity,
      white: chromaticity,
      maxLuminance: luminance,
      minLuminance: luminance,
    })
    .nullable(),
  light: z.object({ maxContent: contentLight, maxFrameAverage: contentLight }).nullable(),
});

/** Longer edit lists are left to the demuxer. */
export const maxEdits = 64;

/** The frames of one edit, and the shift of their times that places the edit directly after the edits before it. */
const editShiftSchema = z.object({ frames: z.int().min(1).max(maxFrames), shiftTicks: ticks });
export type EditShift = z.infer<typeof editShiftSchema>;

/** Each is a branch of a filter expression. */
export const maxPixelAspects = 64;

/** The pixel aspect ratio of the frames from a time on. */
const pixelAspectSchema = z.object({ fromPts: ticks, sampleAspectRatio: rational });
export type PixelAspect = z.infer<typeof pixelAspectSchema>;

const degrees = z.int().min(-360).max(360);

export const sphericalSchema = z.object({
  projection: z.enum(['equirectangular', 'cubemap', 'other']),
  stereo: z.enum(['mono', 'top-bottom', 'left-right']),
  /** how the panorama is turned; absent when it is not */
  pose: z.object({ yaw: degrees, pitch: degrees, roll: degrees }).optional(),
});
export type Spherical = z.infer<typeof sphericalSchema>;

/**
 * What is made of the upright picture, in this order: a part of it, in pixels of a frame of the size `frame`, a
 * clockwise turn, and a mirror image.
 */
export type PictureChange = {
  frame: { width: number; height: number };
  crop?: { left: number; top: number; width: number; height: number };
  rotateDegrees?: 90 | 180 | 270;
  flip?: 'horizontal' | 'vertical';
};

/** The video track that is encoded. Ticks are in `timeBase`; `endPts` is the last frame's PTS plus its duration. */
export const videoTrackSchema = z.object({
  streamIndex: z.int().min(0).max(0xffff),
  codec: z.string().max(64),
  width: pictureSide,
  height: pictureSide,
  sampleAspectRatio: rational,
  /**
   * present when the size or the pixel aspect ratio of the frames changes: other frames are fitted into `width` and
   * `height`
   */
  pixelAspects: z.array(pixelAspectSchema).min(1).max(maxPixelAspects).optional(),
  /** what is cut off each side of the decoded frames, before rotation, to get `width` and `height`; absent for none */
  crop: z.object({ left: margin, top: margin, right: margin, bottom: margin }).optional(),
  /** a 360° video: its projection, and the parts of a frame for each eye; absent for flat video */
  spherical: sphericalSchema.optional(),
  rotationDegrees: z.union([z.literal(0), z.literal(90), z.literal(180), z.literal(270)]),
  pixelFormat: z.string().max(64),
  bitDepth: z.int().min(1).max(16),
  colorPrimaries: z.string().max(64).nullable(),
  colorTransfer: z.string().max(64).nullable(),
  colorSpace: z.string().max(64).nullable(),
  colorRange: z.string().max(64).nullable(),
  hdr10: hdr10Schema.nullable().default(null),
  /**
   * the frames have an alpha channel: `declared` by the file, or `possible`, of a format in which all pixels may be
   * opaque; absent without one
   */
  transparency: z.enum(['declared', 'possible']).optional(),
  interlaced: z.boolean(),
  /** the first frames carry closed captions (CEA-608 or CEA-708); absent when they carry none */
  closedCaptions: z.literal(true).optional(),
  timeBase: rational,
  /** frames / presentation duration, within 1 to 240. Never from a header: headers may be wrong. */
  averageFrameRate: frameRate,
  /**
   * every frame is within half a frame of startPts + n / averageFrameRate, so that frames can be counted instead of
   * timed
   */
  constantFrameRate: z.boolean(),
  /**
   * the rate at which frames of variable times are repeated; absent for a constant rate, for containers that count
   * frames, and in results of older probes
   */
  gridFrameRate: frameRate.optional(),
  /** in decoding order; absent where FFmpeg's times are correct */
  editShifts: z.array(editShiftSchema).max(maxEdits).optional(),
  startPts: ticks,
  endPts: ticks,
  frameCount: z.int().min(1).max(maxFrames),
  bitrateBps: z.int().min(0).max(1e12).nullable(),
  /** absent for codecs that are not copied */
  copy: copyPropertiesSchema.optional(),
});
/** A track as probed, or as the picture settings of a template change it, which only planning does. */
export type VideoTrack = z.infer<typeof videoTrackSchema> & {
  change?: PictureChange;
  /**
   * of interlaced frames; absent for one frame of each two fields. `double`: each field becomes a frame, so that
   * frames, rates and ticks are those of fields, and a tick is half of one of the file
   */
  deinterlace?: 'off' | 'double';
};

export const maxAudioTracks = 64;

export const audioTrackSchema = z.object({
  streamIndex: z.int().min(0).max(0xffff),
  codec: z.string().max(64),
  channels: z.int().min(1).max(64),
  /** FFmpeg's name of the layout; null when the file names none, absent in results of older probes */
  channelLayout: z.string().max(256).nullable().optional(),
  sampleRateHz: z.int().min(1).max(maxSampleRateHz),
  /** BCP 47 tag, `und` when the container names none */
  language: z.string().max(35),
  title: trackTitleSchema.optional(),
  isDefault: z.boolean(),
  roles: z.array(z.enum(audioRoles)).max(audioRoles.length).optional(),
  startSeconds: z.number().min(-maxStartSeconds).max(maxStartSeconds),
  durationSeconds: seconds,
});
export type AudioTrack = z.infer<typeof audioTrackSchema>;

/** Concatenated recordings and jumps of the clock. Each section is stored in probe results, plans and jobs. */
export const maxClockSections = 1000;

/**
 * From a byte on, the times of the source are shifted by some ticks, so that they continue where the clock restarted or
 * jumped.
 */
const clockSectionSchema = z.object({ fromByte: z.int().min(0).max(maxObjectBytes), shiftTicks: ticks });
export type ClockSection = z.infer<typeof clockSectionSchema>;

/** FFmpeg keeps what it reads in memory. */
export const maxProbeBytes = 200_000_000;

/** The result of the probe job. The source has at least one of video and audio. */
export const probeResultSchema = z.object({
  /** ffprobe's short name, such as `mov,mp4,m4a,3gp,3g2,mj2` */
  formatName: z.string().max(128),
  sizeBytes: z.int().min(1).max(maxObjectBytes),
  durationSeconds: seconds,
  video: videoTrackSchema.nullable(),
  audio: z.array(audioTrackSchema).max(maxAudioTracks),
  /** absent without text tracks that can be converted */
  textTracks: z.array(textTrackSchema).max(maxTextTracks).optional(),
  /** absent without chapters */
  chapterCount: z.int().min(1).max(maxChapters).optional(),
  /** already applied to all times of the tracks; empty where the clock is continuous */
  clockSections: z.array(clockSectionSchema).max(maxClockSections).default([]),
  /** how much FFmpeg has to read before it finds all streams; absent where its default of 5 MB is enough */
  probeBytes: z.int().min(1).max(maxProbeBytes).optional(),
  /** the ffprobe document without free-text tags; the `meta` of the original stream */
  meta: sourceMetaSchema,
  /** problems of a usable file, one sentence each for the uploader */
  warnings: z.array(z.string().max(300)).max(20).default([]),
  /** about tracks and metadata of the source */
  decisions: z.array(decisionSchema).max(maxDecisions).default([]),
  cpuSeconds: cpuSecondsSchema,
});
export type ProbeResult = z.infer<typeof probeResultSchema>;

/**
 * Index of the video frames in presentation order, stored so that no later job has to read the source for it.
 * `ptsDeltas[0]` is the first PTS; each next delta is the distance from the frame before, in ticks of the track.
 */
export type FrameIndex = {
  ptsDeltas: number[];
  /** positions in presentation order of the frames where a decoder can start */
  keyFrames: number[];
  /** where in the file a frame and all before it end, as deltas like `ptsDeltas` */
  endByteDeltas: number[];
  /**
   * present for a track that may be copied: the size of each frame, and the key frames that are presented after all
   * frames that are decoded before them. A part is open when its ends are not at such frames
   */
  copy?: { frameBytes: number[]; starts: number[]; isOpen?: true } | undefined;
  /**
   * in the index of a part of a source: the first PTS of the source; the key frame where decoding starts, and the
   * distance to the next frame; and the middle between the last frame before the part and its first one
   */
  before?: { firstPts: number; keyPts: number; keyTicks: number; cutPts: number };
  /**
   * in the index of a part: the middle between its last frame and the next one, and up to where in the file that one
   * reaches
   */
  after?: { cutPts: number; reachBytes: number };
};
