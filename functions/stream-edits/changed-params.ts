import type { InputParams } from '../templates/input-params.ts';
import { audioFields, videoFields } from '../templates/query-structure.ts';

type Shape = { isPortrait: boolean };

/** What holds for one codec only. */
const codecKeys = ['profile', 'level', 'pixel_format'] as const;

/**
 * The parameters of a stream with those that a change names. All others stay as the stream shows them, with two exceptions: width and height are one
 * setting, so naming one of them leaves the other free, and another codec starts without the old one's profile, level and pixel format.
 */
export function changedParams(shown: InputParams, asked: InputParams, source: Shape): InputParams {
  const named = Object.fromEntries(
    Object.entries(asked).filter(([key, value]) => shown[key as keyof InputParams] !== value),
  ) as InputParams;
  const kept: InputParams = { ...shown, ...keptBox(shown, source), ...keptChannels(shown) };
  if (named.codec !== undefined) for (const key of codecKeys) delete kept[key];
  if (named.width !== undefined || named.height !== undefined) {
    delete kept.width;
    delete kept.height;
  }
  return defined({ ...kept, ...named });
}

/**
 * The box that a result fits exactly. Boxes are given for landscape, results are upright. A side outside of what a box may have is left free: it
 * follows from the other one, or from the source, which is then as small or as large.
 */
function keptBox({ width, height }: InputParams, { isPortrait }: Shape): InputParams {
  const box = isPortrait ? { width: height, height: width } : { width, height };
  return {
    width: videoFields.width.safeParse(box.width).data,
    height: videoFields.height.safeParse(box.height).data,
  };
}

/** A source may have three channels, which cannot be asked for: the next larger number comes to the same. */
function keptChannels({ channels }: InputParams): InputParams {
  if (channels === undefined) return {};
  const more = Array.from({ length: 8 }, (_, more) => audioFields.channels.safeParse(channels + more).data);
  return { channels: more.find((choice) => choice !== undefined) };
}

const defined = (params: InputParams): InputParams =>
  Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));
