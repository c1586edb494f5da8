import * as z from 'zod';

/** FFmpeg's names of the codecs of text tracks that can be converted to WebVTT. */
export const textCodecs = ['subrip', 'text', 'ass', 'ssa', 'mov_text', 'webvtt'] as const;
export type TextCodec = (typeof textCodecs)[number];

/** The captions of a video are limited to as many. */
export const maxTextTracks = 100;
export const maxChapters = 10_000;
export const maxTrackTitleLength = 100;
export const trackTitleSchema = z.string().min(1).max(maxTrackTitleLength);

/** A text track of a source, from its headers. */
export const textTrackSchema = z.object({
  streamIndex: z.int().min(0).max(0xffff),
  codec: z.enum(textCodecs),
  /** BCP 47 tag, `und` when the container names none */
  language: z.string().max(35),
  title: trackTitleSchema.nullable(),
  isDefault: z.boolean(),
  isForced: z.boolean(),
  /** for people who cannot hear the sound */
  isForDeaf: z.boolean(),
  /** of what a commentary says, for some viewers only */
  isCommentary: z.boolean().optional(),
});
export type TextTrack = z.infer<typeof textTrackSchema>;
