import * as z from 'zod';
import { sourceMetaSchema } from './probe-document.ts';

/** A day at 60 frames a second. What plans are made of has to fit a function's memory. */
export const maxFrames = 24 * 3600 * 60;
/** Times of packets, in ticks of their track: sums and differences of two of them are exact. */
export const maxTicks = 2 ** 51;
/** Over a hundred days, which no plan takes. A few packets with invented times may be as far apart as they like. */
export const maxSourceSeconds = 10_000_000;
/** Live recordings count from 1970. */
export const maxStartSeconds = 10_000_000_000;
/** The largest object that the store takes. */
export const maxObjectBytes = 5 * 2 ** 40;
export const maxPictureSide = 2 ** 16;
export const maxSampleRateHz = 1_536_000;

/** Containers hold them in 32 bits. */
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
/** Of averages that no standard rate comes near the terms are frames times ticks. */
const frameRate = z
  .object({ num: z.int().positive(), den: z.int().positive() })
  .refine(({ num, den }) => num >= den && num <= 240 * den, 'must be within 1 to 240');
const ticks = z.int().min(-maxTicks).max(maxTicks);
const seconds = z.number().min(0.000_000_001).max(maxSourceSeconds);
/** Of one job on one machine. */
export const cpuSecondsSchema = z.number().min(0).max(10_000_000);
const pictureSide = z.int().min(1).max(maxPictureSide);

const chromaticity = z.tuple([z.int().min(0).max(0xffff), z.int().min(0).max(0xffff)]);
const luminance = z.int().min(0).max(0xffff_ffff);
const contentLight = z.int().min(0).max(0xffff);

/** `Hdr10` of encode.ts, within the fields that the formats have for it. */
const hdr10Schema = z.object({
  screen: z
    .object({
      ...{ red: chromaticity, green: chromaticity, blue: chromaticity, white: chromaticity },
      ...{ maxLuminance: luminance, minLuminance: luminance },
    })
    .nullable(),
  light: z.object({ maxContent: contentLight, maxFrameAverage: contentLight }).nullable(),
});

/** An edit list of more entries is not applied ahead of the demuxer. */
export const maxEdits = 64;

/** How many frames an edit shows, and by how much their times have to be moved so that the edit begins when the ones before it end. */
const editShiftSchema = z.object({ frames: z.int().min(1).max(maxFrames), shiftTicks: ticks });
export type EditShift = z.infer<typeof editShiftSchema>;

/** The video track that is encoded. Ticks are in `timeBase`; `endPts` is the last frame's PTS plus its duration. */
export const videoTrackSchema = z.object({
  streamIndex: z.int().min(0).max(0xffff),
  codec: z.string().max(64),
  width: pictureSide,
  height: pictureSide,
  sampleAspectRatio: rational,
  rotationDegrees: z.union([z.literal(0), z.literal(90), z.literal(180), z.literal(270)]),
  pixelFormat: z.string().max(64),
  bitDepth: z.int().min(1).max(16),
  colorPrimaries: z.string().max(64).nullable(),
  colorTransfer: z.string().max(64).nullable(),
  colorSpace: z.string().max(64).nullable(),
  colorRange: z.string().max(64).nullable(),
  hdr10: hdr10Schema.nullable().default(null),
  interlaced: z.boolean(),
  timeBase: rational,
  /** frames / presented time, or the standard rate that nearly all frames keep; within 1..240, and never a header's word, since headers lie */
  averageFrameRate: frameRate,
  /** every frame lies within half a frame of startPts + n / averageFrameRate, so that frames can be counted instead of timed */
  constantFrameRate: z.boolean(),
  /** of frames as they are decoded, in their order; left out where FFmpeg's times are right */
  editShifts: z.array(editShiftSchema).max(maxEdits).optional(),
  startPts: ticks,
  endPts: ticks,
  frameCount: z.int().min(1).max(maxFrames),
  bitrateBps: z.int().min(0).max(1e12).nullable(),
});
export type VideoTrack = z.infer<typeof videoTrackSchema>;

export const audioTrackSchema = z.object({
  streamIndex: z.int().min(0).max(0xffff),
  codec: z.string().max(64),
  channels: z.int().min(1).max(64),
  /** FFmpeg's name of the layout; null when the file does not say which channel is which, left out by older probes */
  channelLayout: z.string().max(256).nullable().optional(),
  sampleRateHz: z.int().min(1).max(maxSampleRateHz),
  /** BCP 47 tag, `und` when the container names none */
  language: z.string().max(35),
  isDefault: z.boolean(),
  startSeconds: z.number().min(-maxStartSeconds).max(maxStartSeconds),
  durationSeconds: seconds,
});
export type AudioTrack = z.infer<typeof audioTrackSchema>;

/** Of joined recordings and of clocks that jump. Each is a part of the probe's record, of plans and of jobs. */
export const maxClockSections = 1000;

/** From a byte on, the clock of a source is moved by as many of its ticks, so that its times go on where they began again or jumped. */
const clockSectionSchema = z.object({ fromByte: z.int().min(0).max(maxObjectBytes), shiftTicks: ticks });
export type ClockSection = z.infer<typeof clockSectionSchema>;

/** What the probe job found in a source. At least one of video and audio is there. */
export const probeResultSchema = z.object({
  /** ffprobe's short name, such as `mov,mp4,m4a,3gp,3g2,mj2` */
  formatName: z.string().max(128),
  sizeBytes: z.int().min(1).max(maxObjectBytes),
  durationSeconds: seconds,
  video: videoTrackSchema.nullable(),
  audio: z.array(audioTrackSchema).max(64),
  /** all times of the tracks are after these; empty where the clock runs through */
  clockSections: z.array(clockSectionSchema).max(maxClockSections).default([]),
  /** ffprobe's document without tags a stranger could fill with anything long; shown as the original stream's `meta` */
  meta: sourceMetaSchema,
  /** what is wrong with the file though it can be used, a sentence each for the uploader */
  warnings: z.array(z.string().max(300)).max(20).default([]),
  cpuSeconds: cpuSecondsSchema,
});
export type ProbeResult = z.infer<typeof probeResultSchema>;

/**
 * Index of the video track's frames in presentation order, stored beside the source so that no later job reads it twice.
 * `ptsDeltas[0]` is the first PTS, each next one is the distance to the frame before, in the track's ticks.
 */
export type FrameIndex = {
  ptsDeltas: number[];
  /** positions in presentation order of the frames a decoder can start at */
  keyFrames: number[];
  /** how far into the file one must read for a frame and all before it, as distances like those of `ptsDeltas` */
  endByteDeltas: number[];
};
