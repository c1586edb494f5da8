import { defaults } from '../../../shared/defaults.ts';
import type { Decision } from '../../../shared/protocol/decisions.ts';
import type { SourceInput, SourcePart, VideoSource } from '../../../shared/protocol/encode-spec.ts';
import type { PixelAspect, ProbeResult, VideoTrack } from '../../../shared/protocol/probe-result.ts';
import { displaySize } from './display-size.ts';
import { sourceColor } from './source-color.ts';

/** The colour of `scaling.background`, black by default. */
export const rgbOf = (background: string | undefined): number =>
  background === undefined ? 0 : Number.parseInt(background.slice(1), 16);

/** A probed track as jobs get it. `background` is the `scaling.background` of the template. */
export function videoSource(track: VideoTrack, probe: ProbedInput, background?: string): VideoSource {
  const backgroundRgb = rgbOf(background);
  const display = displaySize(track);
  return {
    ...sourceInput(probe),
    ...(track.editShifts ? { editShifts: track.editShifts } : {}),
    streamIndex: track.streamIndex,
    timeBase: { ...track.timeBase, den: track.timeBase.den / (track.deinterlace === 'double' ? 2 : 1) },
    displayWidth: display.width,
    displayHeight: display.height,
    ...(track.pixelAspects ? { pixelAspects: uprightAspects(track.pixelAspects, track.rotationDegrees) } : {}),
    ...(track.spherical ? { spherical: track.spherical } : {}),
    ...(track.crop ? { visible: visiblePart(track, track.crop) } : {}),
    ...(track.transparency ? { transparency: alphaDecoders[track.codec] ?? {} } : {}),
    // black is the default of the filters
    ...(backgroundRgb > 0 ? { backgroundRgb } : {}),
    interlaced: track.interlaced,
    ...(track.deinterlace ? { deinterlace: track.deinterlace } : {}),
    ...(track.change ? { change: track.change } : {}),
    bitDepth: track.bitDepth,
    ...sourceColor(track),
    colorRange: track.colorRange,
    hdr10: track.hdr10,
    ...(track.closedCaptions && { closedCaptions: true as const }),
  };
}

/** FFmpeg's own decoders of these codecs ignore alpha. */
const alphaDecoders: Record<string, NonNullable<VideoSource['transparency']>> = {
  vp8: { decoder: 'libvpx' },
  vp9: { decoder: 'libvpx-vp9' },
};

export const transparencyDecisions = (
  { transparency }: VideoTrack,
  background: string = defaults.background,
): Decision[] =>
  transparency === 'declared'
    ? [
        {
          code: 'transparency_composited',
          message: `The video has an alpha channel: transparent parts are shown over the colour ${background}.`,
          facts: { background },
        },
      ]
    : [];

/** A clockwise turn makes the bottom of the frame its left side. */
function visiblePart(
  { width, height, rotationDegrees }: VideoTrack,
  { left, top, right, bottom }: NonNullable<VideoTrack['crop']>,
): NonNullable<VideoSource['visible']> {
  const [x, y] = { 0: [left, top], 90: [bottom, left], 180: [right, bottom], 270: [top, right] }[rotationDegrees];
  const isTurned = rotationDegrees % 180 !== 0;
  return { left: x!, top: y!, width: isTurned ? height : width, height: isTurned ? width : height };
}

/** A quarter turn exchanges width and height of a pixel. */
const uprightAspects = (aspects: PixelAspect[], rotationDegrees: VideoTrack['rotationDegrees']): PixelAspect[] =>
  rotationDegrees % 180 === 0
    ? aspects
    : aspects.map(({ fromPts, sampleAspectRatio: { num, den } }) => ({
        fromPts,
        sampleAspectRatio: { num: den, den: num },
      }));

type ProbedInput = Pick<ProbeResult, 'formatName' | 'clockSections' | 'probeBytes'> & { part?: SourcePart };

/** What a job needs to find the streams of the source and to interpret their timestamps. */
export const sourceInput = ({ formatName, clockSections, probeBytes, part }: ProbedInput): SourceInput => ({
  formatName,
  ...(clockSections.length > 0 ? { clockSections } : {}),
  ...(probeBytes === undefined ? {} : { probeBytes }),
  ...(part && { part }),
});
