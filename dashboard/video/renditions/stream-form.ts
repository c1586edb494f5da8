import type { Stream } from '../video-properties.ts';

export const streamTypes = ['video', 'audio', 'muxed'] as const;
export type StreamType = (typeof streamTypes)[number];

/** What the form holds: texts, as the user types them. */
export type StreamForm = { name: string; type: StreamType; codec: string; height: string; bitrate: string };

const videoCodecs = ['h264', 'hevc', 'av1', 'vp9'] as const;
const audioCodecs = ['aac', 'opus'] as const;

export const codecsOf = (type: StreamType): readonly string[] => (type === 'audio' ? audioCodecs : videoCodecs);

const paramText = (value: unknown): string => (value === undefined || value === null ? '' : String(value));

export function formOf(stream: Stream | undefined): StreamForm {
  if (stream === undefined) return { name: '', type: 'video', codec: 'h264', height: '480', bitrate: '1400k' };
  const { codec, height, bitrate } = stream.input_params;
  return {
    name: stream.name,
    type: stream.type as StreamType,
    codec: paramText(codec),
    height: paramText(height),
    bitrate: paramText(bitrate),
  };
}

/** Another type has other codecs. */
export const withType = (form: StreamForm, type: StreamType): StreamForm => ({
  ...form,
  type,
  codec: codecsOf(type).includes(form.codec) ? form.codec : codecsOf(type)[0]!,
  ...(type === 'audio' && { bitrate: '128k' }),
});

type Params = { codec?: string; height?: number; bitrate?: string };

/** The parameters of the form. An empty field is left to the service. */
export const paramsOf = ({ type, codec, height, bitrate }: StreamForm): Params => ({
  codec,
  ...(type !== 'audio' && height !== '' && { height: Number(height) }),
  ...(bitrate !== '' && { bitrate }),
});

/** Only what was changed: each changed parameter encodes the track again. */
export function changesOf(before: StreamForm, after: StreamForm): { name?: string; input_params?: Params } {
  const [old, params] = [paramsOf(before), paramsOf(after)];
  const changed = Object.fromEntries(
    Object.entries(params).filter(([name, value]) => old[name as keyof Params] !== value),
  ) as Params;
  return {
    ...(after.name !== before.name && { name: after.name }),
    ...(Object.keys(changed).length > 0 && { input_params: changed }),
  };
}
