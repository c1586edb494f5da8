import { formatNumber } from '../../messages/format.ts';
import type { Stream } from '../video-properties.ts';

/** What the probe found of a track, with the names of ffprobe. */
type ProbedTrack = {
  codec_type?: string;
  codec_name?: string;
  profile?: string;
  bit_rate?: string;
  avg_frame_rate?: string;
  pix_fmt?: string;
  color_primaries?: string;
  sample_rate?: string;
  channels?: number;
  channel_layout?: string;
  disposition?: { attached_pic?: number };
};

/** The first picture and sound of an original; none of a rendition. */
function tracksOf({ type, meta }: Pick<Stream, 'type' | 'meta'>): { video?: ProbedTrack; audio?: ProbedTrack } {
  if (type !== 'original') return {};
  const tracks = (meta.streams ?? []) as ProbedTrack[];
  const video = tracks.find(({ codec_type, disposition }) => codec_type === 'video' && !disposition?.attached_pic);
  const audio = tracks.find(({ codec_type }) => codec_type === 'audio');
  return { ...(video && { video }), ...(audio && { audio }) };
}

type Columns = {
  /** such as 1280 × 720; of sound its channels */
  resolution: string;
  /** such as h264 */
  codecs: string[];
  bitrate: number | undefined;
};

/** What tells the streams of a video apart. */
export function columnsOf(stream: Stream): Columns {
  const { width, height, meta, input_params, channels } = stream;
  const { video, audio } = tracksOf(stream);
  const { codec } = input_params as { codec?: string };
  const probed = [video?.codec_name, audio?.codec_name].filter((name) => name !== undefined);
  const format = meta.format as { bit_rate?: string } | undefined;
  const sound = meta.channel_layout ?? audio?.channel_layout ?? (channels ? String(channels) : '');
  return {
    resolution: width && height ? `${width} × ${height}` : sound,
    codecs: probed.length > 0 ? probed : codec === undefined ? [] : [codec],
    bitrate: meta.bitrate ?? (format?.bit_rate === undefined ? undefined : Number(format.bit_rate)),
  };
}

type DetailName = 'codec' | 'profile' | 'frameRate' | 'colour' | 'sampleRate' | 'channels' | 'language';
type Detail = { name: DetailName; value: string };

/** The other properties of a stream that are known, in the order of display. */
export function detailsOf(stream: Stream): Detail[] {
  const { meta, channels, language } = stream;
  const { video, audio } = tracksOf(stream);
  const frameRate = meta.frame_rate ?? quotientOf(video?.avg_frame_rate);
  const sampleRate = meta.sample_rate ?? (audio?.sample_rate && Number(audio.sample_rate));
  const details: Record<DetailName, string | number | null | undefined | false> = {
    codec: meta.codecs,
    profile: [meta.profile ?? video?.profile, meta.level].filter(Boolean).join(' '),
    frameRate: frameRate && `${formatNumber(frameRate)} fps`,
    colour: [meta.color_primaries ?? video?.color_primaries, meta.pixel_format ?? video?.pix_fmt]
      .filter(Boolean)
      .join(' '),
    sampleRate: sampleRate && `${formatNumber(sampleRate / 1000)} kHz`,
    channels: meta.channel_layout ?? audio?.channel_layout ?? channels,
    language: language !== 'und' && language,
  };
  return Object.entries(details).flatMap(([name, value]) =>
    value ? [{ name: name as DetailName, value: String(value) }] : [],
  );
}

/** @param fraction such as 30000/1001 */
function quotientOf(fraction: string | undefined): number | undefined {
  const [numerator = 0, denominator = 0] = (fraction ?? '').split('/').map(Number);
  return denominator > 0 && numerator > 0 ? numerator / denominator : undefined;
}
