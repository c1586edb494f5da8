import type { components } from '../../../client/api-types.ts';
import type { Option } from '../../components/field.tsx';
import type { Resolution } from '../query/query-changes.ts';

/** What the form offers, from GET /api/templates-config. */
export type TemplateOptions = {
  videoCodecs: Option[];
  audioCodecs: (Option & { bitrates: string[] })[];
  formats: Option[];
  encoderPresets: string[];
  resolutions: Resolution[];
  maxVideoStreams: number;
  maxDeliveries: number;
  defaults: { segmentSeconds: string; encoderPreset: string; audioBitrate: string };
};

type Config = components['schemas']['TemplatesConfig'];
type Entry = Readonly<Record<string, unknown>>;

const optionOf = ({ value, label }: Entry): Option => ({ value: String(value), label: String(label) });

export const readOptions = ({
  codecs,
  formats,
  encoder_presets,
  resolutions,
  defaults,
  limits,
}: Config): TemplateOptions => ({
  videoCodecs: codecs.video.map(optionOf),
  audioCodecs: codecs.audio.map((codec) => ({ ...optionOf(codec), bitrates: codec.bitrates as string[] })),
  formats: formats.map(optionOf),
  encoderPresets: [...encoder_presets],
  resolutions: resolutions as unknown as Resolution[],
  maxVideoStreams: Number(limits.max_video_streams),
  maxDeliveries: Number(limits.max_deliveries),
  defaults: {
    segmentSeconds: String(defaults.segment_duration),
    encoderPreset: String(defaults.preset),
    audioBitrate: String(defaults.audio_bitrate),
  },
});
