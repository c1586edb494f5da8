import { toNumber } from '../../../shared/media/rational.ts';
import { containers, videoCodecs } from '../description/containers.ts';
import { displayShape, isHdr, mainVideo, type Shape, type Source, type VideoTrack } from '../description/source.ts';
import { expectedRate, type Picture, picturesOf, slackSeconds } from '../expectation/expected-times.ts';
import { patches, transparentPatch } from '../making/picture-graph.ts';
import type { DecodedVideo, Frame } from '../reading/decode.ts';
import { fitted, type Rgb, shownNumber, shownPatches } from '../reading/picture.ts';

type Shown = { number: number; seconds: number; patches: Rgb[] };

/** Values of 8 bits. The subsampling of chroma and two encoders change the colour of a patch by less. */
const longestColourDistance = 10;
const black: Rgb = [0, 0, 0];

/** What is wrong with the pictures of the largest rendition, in sentences. */
export function checkPictures(source: Source, video: DecodedVideo | null): string[] {
  const track = mainVideo(source);
  if (!track) return video ? ['there is a video, which the source does not have'] : [];
  if (!video) return ['there is no video'];
  const shape = checkShape(track, video);
  if (shape.length > 0) return shape;
  const shown = video.frames.map((frame) => look(track, video, frame));
  const pictures = picturesOf(track);
  const unknown = checkNumbers(pictures, shown);
  return [
    ...checkTimes(source, track, shown),
    ...(unknown.length > 0 ? unknown : checkOrder(source, pictures, shown)),
    ...checkColours(track, source.background ?? black, shown),
  ];
}

/**
 * Reads a frame. Where the shape changes, the number must be one of the shape with which it is read. Of two such
 * numbers, that of a picture nearer to the time of the frame is right.
 */
function look(track: VideoTrack, video: DecodedVideo, { pixels, seconds }: Frame): Shown {
  const image = { width: video.width, pixels };
  const read = (shape: Shape): Shown => ({
    number: shownNumber(image, rectOf(shape, video)),
    seconds,
    patches: shownPatches(image, rectOf(shape, video)),
  });
  const { shape, change, rate, startSeconds } = track;
  if (!change) return read(shape);
  const [before, after] = [read(shape), read(change.shape)];
  const due = (seconds - startSeconds) * toNumber(rate);
  const [nearest] = [
    ...(before.number < change.atNumber ? [before] : []),
    ...(after.number >= change.atNumber ? [after] : []),
  ].toSorted((a, b) => Math.abs(a.number - due) - Math.abs(b.number - due));
  return nearest ?? before;
}

const rectOf = (shape: Shape, { width, height, sampleAspectRatio }: DecodedVideo) =>
  fitted({ width, height }, displayShape(shape) / sampleAspectRatio);

/** The frame has the shape that most of the track has. Sides are even, which changes the shape a little. */
function checkShape(track: VideoTrack, { width, height, sampleAspectRatio }: DecodedVideo): string[] {
  const { change, numbers } = track;
  const usual = change && change.atNumber < numbers.length / 2 ? change.shape : track.shape;
  const [wanted, found] = [displayShape(usual), (width * sampleAspectRatio) / height];
  if (Math.abs(found / wanted - 1) <= 1.5 / width + 1.5 / height) return [];
  return [`the frame is ${width}x${height}, shape ${found.toFixed(3)} instead of ${wanted.toFixed(3)}`];
}

/** Frames follow each other at a constant rate that the source needs, from the start of the presentation to its end. */
function checkTimes(source: Source, track: VideoTrack, shown: readonly Shown[]): string[] {
  const found: string[] = [];
  const steps = shown.slice(1).map(({ seconds }, n) => seconds - shown[n]!.seconds);
  const step = stepOf(shown);
  const uneven = steps.findIndex((one) => Math.abs(one - step) > 0.0011);
  if (uneven >= 0) found.push(`frame ${uneven} lasts ${steps[uneven]!.toFixed(4)} s instead of ${step.toFixed(4)} s`);
  const { least, most } = expectedRate(track, source.fpsCap);
  if (shown.length > 1 && (1 / step < least * 0.999 || 1 / step > most * 1.001))
    found.push(`the rate is ${(1 / step).toFixed(3)}, not ${least.toFixed(3)} to ${most.toFixed(3)}`);
  if (shown[0]!.seconds > step + 0.001) found.push(`the video starts at ${shown[0]!.seconds.toFixed(3)} s`);
  return found;
}

const stepOf = (shown: readonly Shown[]): number =>
  shown.length < 2 ? 1 : (shown.at(-1)!.seconds - shown[0]!.seconds) / (shown.length - 1);

function checkNumbers(pictures: readonly Picture[], shown: readonly Shown[]): string[] {
  const known = new Set(pictures.map(({ number }) => number));
  const strange = shown.filter(({ number }) => !known.has(number));
  if (strange.length === 0) return [];
  const first = strange[0]!;
  return [
    `${strange.length} of ${shown.length} frames show no picture of the source: ${first.number} at ${first.seconds.toFixed(3)} s`,
  ];
}

/** Pictures are in order, each at its time within one frame, and none that lasted for a frame is missing. */
function checkOrder(source: Source, pictures: readonly Picture[], shown: readonly Shown[]): string[] {
  const back = shown.findIndex(({ number }, n) => n > 0 && number < shown[n - 1]!.number);
  if (back > 0) return [`picture ${shown[back]!.number} follows picture ${shown[back - 1]!.number}`];
  const step = stepOf(shown);
  const firstShown = new Map(shown.toReversed().map(({ number, seconds }) => [number, seconds]));
  const lost = pictures.filter(
    ({ number, fromSeconds, untilSeconds }) => !firstShown.has(number) && untilSeconds - fromSeconds > step * 0.98,
  );
  const found =
    lost.length === 0
      ? []
      : [`${lost.length} of ${pictures.length} pictures are lost: ${lost[0]!.number} is the first`];
  // the first picture is shown from the start on, whenever its track starts
  const late = pictures.slice(1).flatMap(({ number, fromSeconds }) => {
    const seconds = firstShown.get(number);
    return seconds === undefined ? [] : [{ number, seconds: seconds - fromSeconds }];
  });
  const shift = late.map(({ seconds }) => seconds).toSorted((a, b) => a - b)[late.length >> 1] ?? 0;
  const slack = slackSeconds(source);
  if (Math.abs(shift) > slack + step) found.push(`pictures are ${(shift * 1000).toFixed(0)} ms late`);
  const exactness = step * 1.01 + 2 * containers[source.container].tickSeconds;
  const wrong = late.find(({ seconds }) => Math.abs(seconds - shift) > exactness);
  if (wrong)
    found.push(
      `picture ${wrong.number} is ${(wrong.seconds * 1000).toFixed(0)} ms late, others ${(shift * 1000).toFixed(0)} ms`,
    );
  return found;
}

function checkColours(track: VideoTrack, background: Readonly<Rgb>, shown: readonly Shown[]): string[] {
  const wanted = patches.map((colour, n) =>
    videoCodecs[track.codec].hasAlpha && n === transparentPatch ? background : colour,
  );
  const looked = [0, shown.length >> 1, shown.length - 1].map((frame) => ({ frame, found: shown[frame]!.patches }));
  const wrong = looked.flatMap(({ frame, found }) =>
    wanted.flatMap((colour, n) => (isLike(track, colour, found[n]!) ? [] : [{ frame, n, colour }])),
  );
  if (wrong.length === 0) return [];
  const { frame, n, colour } = wrong[0]!;
  return [`patch ${n} of frame ${frame} is (${shown[frame]!.patches[n]!.map(Math.round)}) instead of (${colour})`];
}

/** A tone map changes how bright a colour of HDR is, but not what colour it is: grey, or mostly red, green or blue. */
function isLike(track: VideoTrack, wanted: Rgb, found: Rgb): boolean {
  if (!isHdr(track)) return distance(wanted, found) <= longestColourDistance;
  const [low, middle, high] = found.toSorted((a, b) => a - b) as [number, number, number];
  if (new Set(wanted).size === 1) return high - low <= longestColourDistance && high > longestColourDistance;
  return found.indexOf(high) === wanted.indexOf(Math.max(...wanted)) && high - middle > 2 * longestColourDistance;
}

const distance = (one: Rgb, other: Rgb): number => Math.max(...one.map((value, n) => Math.abs(value - other[n]!)));
