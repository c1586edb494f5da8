import type { CaptionKind } from '../../shared/captions/cue.ts';
import type { Container } from '../../shared/media/codecs.ts';
import type { OutputFormat } from '../../shared/media/output-formats.ts';
import type { Decision } from '../../shared/protocol/decisions.ts';
import type { AudioRendition, SourcePart, VideoSource } from '../../shared/protocol/encode-spec.ts';
import type { QualitySpec, ThumbnailsSpec, UploadedPosterSpec } from '../../shared/protocol/jobs.ts';
import type { TextCodec } from '../../shared/protocol/text-tracks.ts';
import type { EncodeGroup } from './video/encode-groups.ts';
import type { Starter } from './video/starter.ts';

/** One stream to encode: a rung or an audio rendition. `inputParams` is the API's input_params. */
export type PlannedStream = {
  name: string;
  type: 'video' | 'audio';
  inputParams: Record<string, unknown>;
  width: number | null;
  height: number | null;
  language: string | null;
  channels: number | null;
};

/**
 * An output and the names of its streams, the best first. `error` says why the output cannot be made, otherwise null.
 */
export type PlannedOutput = {
  name: string;
  format: OutputFormat;
  container: Container;
  video: string[];
  audio: string[];
  segmentSeconds: number;
  faststart: boolean;
  error: string | null;
};

/** A caption of a text track of the source, or, without a track, of its chapters. A null label means the language. */
export type PlannedCaption = {
  track: { streamIndex: number; codec: TextCodec } | null;
  language: string;
  kind: CaptionKind;
  label: string | null;
  isDefault: boolean;
};

/**
 * Rungs of constant quality, for which a job measures the source while their first chunks are encoded. `tracks` are the
 * names of all variants of a rung, and `capBps` is the bitrate that it may need on average. Largest rung first.
 */
export type PlannedQuality = {
  spec: QualitySpec;
  rungs: { name: string; tracks: string[]; width: number; height: number; capBps: number }[];
};

/** Everything to make of one source. Second 0 of the outputs is second `originSeconds` of the source. */
export type Plan = {
  originSeconds: number;
  durationSeconds: number;
  aspectRatio: string | null;
  source: VideoSource | null;
  /** the rung that plays while the others are encoded; null when nothing plays before it is complete */
  starter: Starter | null;
  groups: EncodeGroup[];
  audio: AudioRendition[];
  streams: PlannedStream[];
  outputs: PlannedOutput[];
  thumbnails: ThumbnailsSpec | UploadedPosterSpec | null;
  captions: PlannedCaption[];
  /** absent where no quality is measured */
  quality?: PlannedQuality;
  warnings: string[];
  /** those of the probe and of the plan; absent in plans of earlier versions */
  decisions?: Decision[];
  /** tracks that the outputs reuse from earlier plans: the plan number by track name */
  carried: Record<string, number>;
  /** the part of the source that is used; absent for all of it */
  part?: SourcePart;
};
