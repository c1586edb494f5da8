import { isAudioCodec, videoCodecProperties } from '../../shared/media/codecs.ts';
import type { InputParams } from '../templates/input-params.ts';
import { audioFields, videoFields } from '../templates/query-structure.ts';

type Orientation = { isPortrait: boolean };

/** Parameters whose values depend on the codec. */
const codecSpecificKeys = ['profile', 'level', 'pixel_format'] as const;

/**
 * The parameters of a stream with those that are requested. The others stay, with two exceptions: width and height are
 * one setting, so a request for one of them clears the other, and another codec clears profile, level, pixel format and
 * what it does not support.
 */
export function mergeParams(current: InputParams, requested: InputParams, source: Orientation): InputParams {
  const changed = Object.fromEntries(
    Object.entries(requested).filter(([key, value]) => current[key as keyof InputParams] !== value),
  ) as InputParams;
  const kept: InputParams = { ...current, ...sizeOf(current, source), ...channelsOf(current) };
  if (changed.codec !== undefined) {
    for (const key of [...codecSpecificKeys, ...unsupportedKeys(changed.codec)]) delete kept[key];
  }
  if (changed.width !== undefined || changed.height !== undefined) {
    delete kept.width;
    delete kept.height;
  }
  return withoutUndefined({ ...kept, ...changed });
}

const unsupportedKeys = (codec: NonNullable<InputParams['codec']>) => {
  if (isAudioCodec(codec)) return [];
  const { unsupported } = videoCodecProperties[codec];
  return codec === 'av1' ? [...unsupported, 'max_bitrate' as const] : unsupported;
};

/**
 * The width and height parameters that give the current size. Parameters are for landscape, the current size is that of
 * the displayed frame. A side out of the allowed range is omitted: it follows from the other side or the source.
 */
function sizeOf({ width, height }: InputParams, { isPortrait }: Orientation): InputParams {
  const box = isPortrait ? { width: height, height: width } : { width, height };
  return {
    width: videoFields.width.safeParse(box.width).data,
    height: videoFields.height.safeParse(box.height).data,
  };
}

/**
 * A stream may have a number of channels that cannot be requested, such as 3. The next larger one gives the same
 * result.
 */
function channelsOf({ channels }: InputParams): InputParams {
  if (channels === undefined) return {};
  const allowed = Array.from({ length: 8 }, (_, extra) => audioFields.channels.safeParse(channels + extra).data);
  return { channels: allowed.find((choice) => choice !== undefined) };
}

const withoutUndefined = (params: InputParams): InputParams =>
  Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));
