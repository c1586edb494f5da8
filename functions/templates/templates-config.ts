import { defaults } from '../../shared/defaults.ts';
import {
  type AudioCodec,
  audioCodecProperties,
  audioCodecs,
  encoderPresets,
  isCarriedBy,
  profilesOf,
  type VideoCodec,
  videoCodecProperties,
  videoCodecs,
} from '../../shared/media/codecs.ts';
import { contentTypes } from '../../shared/media/content-types.ts';
import { outputFormatProperties, outputFormats } from '../../shared/media/output-formats.ts';
import { templateLimits } from './template-limits.ts';

const formats = outputFormats.map((value) => {
  const { label, containers, extension } = outputFormatProperties[value];
  return { value, label, containers, extension };
});

function videoOption(codec: VideoCodec) {
  const { label, encoder, crf, containers, bitrateFactor } = videoCodecProperties[codec];
  return {
    value: codec,
    label,
    encoder,
    profiles: profilesOf(codec),
    crf: { min: 0, ...crf },
    containers,
    formats: formats
      .filter((format) => format.containers.some((container) => isCarriedBy(container, codec)))
      .map(({ value }) => value),
    bitrate_factor: bitrateFactor,
  };
}

function audioOption(codec: AudioCodec) {
  const { label, encoder, bitrates, channels, containers } = audioCodecProperties[codec];
  return { value: codec, label, encoder, bitrates, channels, containers };
}

/** What a template can contain, as answered by `GET /api/templates-config`. */
export const templatesConfig = {
  codecs: { video: videoCodecs.map(videoOption), audio: audioCodecs.map(audioOption) },
  resolutions: [
    { value: '2160p', label: '4K UHD', width: 3840, height: 2160, bitrate: '14000k' },
    { value: '1440p', label: 'QHD', width: 2560, height: 1440, bitrate: '8500k' },
    { value: '1080p', label: 'Full HD', width: 1920, height: 1080, bitrate: '5000k' },
    { value: '720p', label: 'HD', width: 1280, height: 720, bitrate: '2800k' },
    { value: '540p', label: 'qHD', width: 960, height: 540, bitrate: '1800k' },
    { value: '480p', label: 'SD', width: 854, height: 480, bitrate: '1400k' },
    { value: '360p', label: 'Low', width: 640, height: 360, bitrate: '800k' },
    { value: '240p', label: 'Very low', width: 426, height: 240, bitrate: '400k' },
    { value: '144p', label: 'Minimum', width: 256, height: 144, bitrate: '150k' },
  ],
  profiles: Object.fromEntries(videoCodecs.map((codec) => [codec, profilesOf(codec)])),
  formats: formats.map((format) => ({ ...format, mime: contentTypes[format.extension] })),
  encoder_presets: encoderPresets,
  defaults: {
    segment_duration: defaults.segmentSeconds,
    gop: defaults.gopSeconds,
    preset: defaults.encoderPreset,
    audio_bitrate: defaults.audio.bitrate,
    channels: defaults.audio.channels,
    sample_rate: defaults.audio.sampleRateHz,
    chunk_duration: defaults.chunkSeconds,
  },
  limits: {
    max_outputs: templateLimits.maxOutputs,
    max_video_streams: templateLimits.maxVideoStreams,
    max_audio_streams: templateLimits.maxAudioStreams,
    max_width: templateLimits.maxWidth,
    max_height: templateLimits.maxHeight,
    max_fps: templateLimits.maxFramesPerSecond,
    max_deliveries: templateLimits.maxDeliveries,
    max_query_bytes: templateLimits.maxQueryBytes,
  },
} as const;
