import { rational } from '../../../shared/media/rational.ts';
import type { Decision } from '../../../shared/protocol/decisions.ts';
import { JobError } from '../../../shared/protocol/job-errors.ts';
import type { FrameIndex, PictureChange, ProbeResult, VideoTrack } from '../../../shared/protocol/probe-result.ts';
import type { Picture } from '../../templates/query-structure.ts';
import { type Size, uprightSize } from './display-size.ts';

type Source = { probe: ProbeResult; frames: FrameIndex | null };
type Settings = { picture?: Picture | undefined };

/**
 * A source as the picture settings of a template change it. What is planned from it has the size and the frames of the
 * changed picture.
 * @throws JobError INPUT_CROP_EMPTY where the crop leaves too little of this source
 */
export function changeSource<Given extends Source>(source: Given, { picture }: Settings): Given {
  const { video } = source.probe;
  if (!video || !picture) return source;
  const track = changedTrack(video, picture);
  const fields = source.frames && track.deinterlace === 'double' ? fieldsOf(source.frames, video) : undefined;
  const frames = fields ?? source.frames;
  const endPts = fields ? Math.max(track.endPts, lastPts(fields) + 1) : track.endPts;
  return { ...source, probe: { ...source.probe, video: { ...track, endPts } }, frames };
}

/** The track alone, where its frames are not needed. @throws JobError INPUT_CROP_EMPTY */
export function changedTrack(track: VideoTrack, picture: Picture | undefined): VideoTrack {
  if (!picture) return track;
  const change = track.spherical ? undefined : changeOf(track, picture);
  const changed = change ? { ...track, change } : track;
  const { deinterlace } = picture;
  if (!track.interlaced || deinterlace === 'auto') return changed;
  // the two fields of a single frame are no video
  if (deinterlace === 'double') return track.frameCount > 1 ? withFields(changed) : changed;
  return { ...changed, deinterlace };
}

/** A panorama that is turned or cut no longer has the projection that players expect. */
export const pictureDecisions = (track: VideoTrack, picture: Picture | undefined): Decision[] =>
  picture && track.spherical && changeOf(track, picture)
    ? [
        {
          code: 'picture_unchanged',
          message: 'The source is a 360° video: its picture is neither cropped nor rotated nor flipped.',
          facts: { projection: track.spherical.projection },
        },
      ]
    : [];

function changeOf(track: VideoTrack, { rotate, flip, crop }: Picture): PictureChange | undefined {
  const frame = uprightFrame(track);
  const part = crop && cropOf(crop, track, frame);
  if (!part && rotate === 0 && flip === undefined) return undefined;
  return {
    frame,
    ...(part && { crop: part }),
    ...(rotate !== 0 && { rotateDegrees: rotate }),
    ...(flip !== undefined && { flip }),
  };
}

/** The size of the frames that the worker changes: upright, with the pixels of the source. */
function uprightFrame(track: VideoTrack): Size {
  if (track.pixelAspects) {
    // frames of changing sizes are fitted into one of square pixels
    const { width, height } = uprightSize(track);
    return { width: floorTo(2, width), height: floorTo(2, height) };
  }
  const { width, height, rotationDegrees } = track;
  return rotationDegrees % 180 === 0 ? { width, height } : { width: height, height: width };
}

/** A smaller picture is a mistake in the template, and some encoders refuse it. */
const minSide = 16;

type Crop = NonNullable<Picture['crop']>;

/** A part with even sides and distances: two pixels share their colour. Undefined for the whole frame. */
function cropOf(crop: Crop, track: VideoTrack, frame: Size): PictureChange['crop'] {
  const shown = uprightSize(track);
  // the colour of interlaced frames is shared by two lines of one field
  const lines = track.interlaced ? 4 : 2;
  const [left, right] = margins([crop.left, crop.right], shown.width, frame.width, 2);
  const [top, bottom] = margins([crop.top, crop.bottom], shown.height, frame.height, lines);
  if (left + right + top + bottom === 0) return undefined;
  const rest = { width: frame.width - left - right, height: frame.height - top - bottom };
  const part = { left, top, width: floorTo(2, rest.width), height: floorTo(2, rest.height) };
  if (part.width >= minSide && part.height >= minSide) return part;
  throw new JobError(
    'INPUT_CROP_EMPTY',
    `The picture has ${shown.width} × ${shown.height} pixels, of which the crop leaves less than ${minSide} × ${minSide}. Cut off less of it.`,
  );
}

type Side = Crop[keyof Crop];

/** Of two opposite sides, in pixels of the frame. The rest may be less than nothing. */
const margins = (sides: [Side, Side], shown: number, frame: number, step: number): [number, number] => {
  const [first, second] = sides.map((side) => {
    const share = typeof side === 'string' ? Number.parseFloat(side) / 100 : side / shown;
    return step * Math.round((share * frame) / step);
  });
  return [first!, second!];
};

const floorTo = (step: number, length: number): number => Math.max(0, step * Math.floor(length / step));

/** A clock on which the second field of a frame has a tick of its own. */
function withFields({ timeBase, startPts, endPts, frameCount, averageFrameRate, ...track }: VideoTrack): VideoTrack {
  const { gridFrameRate } = track;
  return {
    ...track,
    deinterlace: 'double',
    timeBase: { num: timeBase.num, den: 2 * timeBase.den },
    startPts: 2 * startPts,
    endPts: 2 * endPts,
    frameCount: 2 * frameCount,
    averageFrameRate: rational(2 * averageFrameRate.num, averageFrameRate.den),
    ...(gridFrameRate && { gridFrameRate: rational(2 * gridFrameRate.num, gridFrameRate.den) }),
  };
}

/** Two frames of each: the second one in the middle between two, as FFmpeg's filter places it. */
function fieldsOf(index: FrameIndex, { endPts }: VideoTrack): FrameIndex {
  const { ptsDeltas, keyFrames, endByteDeltas, before, after } = index;
  const lastTicks = ptsDeltas.length > 1 ? ptsDeltas.at(-1)! : endPts - ptsDeltas[0]!;
  return {
    ptsDeltas: ptsDeltas.flatMap((delta, n) => {
      const toNext = ptsDeltas[n + 1] ?? lastTicks;
      return [n === 0 ? 2 * delta : delta, toNext];
    }),
    keyFrames: keyFrames.map((position) => 2 * position),
    endByteDeltas: endByteDeltas.flatMap((delta) => [delta, 0]),
    // The middle between two frames is now between the second field of one and the first one of the next.
    ...(before && {
      before: {
        firstPts: 2 * before.firstPts,
        keyPts: 2 * before.keyPts,
        keyTicks: 2 * before.keyTicks,
        cutPts: ptsDeltas[0]! + before.cutPts,
      },
    }),
    ...(after && { after: { ...after, cutPts: 3 * after.cutPts - lastPts(index) } }),
  };
}

const lastPts = ({ ptsDeltas }: FrameIndex): number => ptsDeltas.reduce((sum, delta) => sum + delta, 0);
