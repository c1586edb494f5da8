import { type Rational, rational, toNumber } from '../../../shared/media/rational.ts';
import type { Random } from '../../faults/random.ts';
import { numbersOf, variableCadences } from './cadences.ts';
import type { Chance } from './chance.ts';
import { anyRates, containers, usualRates, videoCodecs } from './containers.ts';
import type { ContainerName, OtherVideoRole, Shape, VideoTrack } from './source.ts';

const square = rational(1, 1);
const sizes = [
  [160, 90],
  [320, 180],
  [128, 96],
  [176, 144],
  [90, 160],
  [240, 136],
] as const;
const pixelShapes = [rational(4, 3), rational(16, 11), rational(8, 9)];
const maxFrames = 480;
const firstOther = 512;

/** Lengths and starts are multiples of this, so that two of them are equal or clearly differ. */
export const stepSeconds = 0.4;

/** The video track that has to be chosen. */
export function randomVideo(random: Random, container: ContainerName, chance: Chance): VideoTrack {
  const { video, isVariable, startsDiffer } = containers[container];
  const codec = random.pick(video);
  const { colours, hasUsualRates, hasAnyShape = false, hasBFrames, ...properties } = videoCodecs[codec];
  const rate = random.pick(hasUsualRates ? usualRates : anyRates);
  const canVary = isVariable && properties.isVariable === true;
  const cadence = chance(0.4) && canVary ? random.pick(variableCadences) : 'constant';
  const frames = framesOf(random.between(4, 12) * stepSeconds, rate);
  const late = chance(0.2) && startsDiffer ? random.pick([1, 2, 4]) * stepSeconds : 0;
  const [width, height] = random.pick(sizes);
  const shape = { width, height, sampleAspectRatio: chance(0.2) && hasAnyShape ? random.pick(pixelShapes) : square };
  const changes = chance(0.25) && cadence === 'constant' && properties.changesIn?.includes(container) === true;
  return {
    type: 'video',
    role: 'main',
    codec,
    program: 1,
    isDefault: true,
    rate,
    cadence,
    firstNumber: 0,
    shape,
    startSeconds: framesOf(late, rate) / toNumber(rate),
    numbers: numbersOf(cadence, frames, rate),
    change: changes ? randomChange(random, container, { shape, frames }) : null,
    colours: random.pick(colours),
    keyFrameEvery: random.pick([5, 12, 25, 60]),
    bFrames: hasBFrames && !changes ? random.pick([0, 0, 2]) : 0,
    turn: 0,
  };
}

/** The same track, in some cases turned or with the colours of HDR. */
export function specialPicture(random: Random, container: ContainerName, track: VideoTrack): VideoTrack {
  const [turnShare, turn] = [random.share(), random.pick([90, 180, 270] as const)];
  const [hdrShare, hdr] = [random.share(), random.pick(['pq', 'hlg'] as const)];
  const { hdrPixelFormat } = videoCodecs[track.codec];
  return {
    ...track,
    ...(containers[container].canTurn === true && turnShare < 0.25 && { turn }),
    ...(hdrPixelFormat !== undefined && hdrShare < 0.4 && { colours: hdr }),
  };
}

/** Most of the track has one of the two shapes. In WebM, the header has the only shape of pixels. */
function randomChange(
  random: Random,
  container: ContainerName,
  { shape, frames }: { shape: Shape; frames: number },
): VideoTrack['change'] {
  const { width, height, sampleAspectRatio } = shape;
  const others: Shape[] = [
    { width: width * 2, height: height * 2, sampleAspectRatio },
    { width: height, height: width, sampleAspectRatio },
    ...(container === 'ts' ? [{ width, height, sampleAspectRatio: rational(3, 2) }] : []),
  ];
  return { atNumber: Math.round(frames * random.pick([0.2, 0.8])), shape: random.pick(others) };
}

/** A video track that must not be chosen beside the main one. */
export function otherVideo(main: VideoTrack, role: OtherVideoRole): VideoTrack {
  const other: VideoTrack = { ...main, role, firstNumber: firstOther, startSeconds: 0, change: null };
  if (role === 'disabled') return { ...other, isDefault: false };
  const small = { ...other, shape: { width: 96, height: 72, sampleAspectRatio: square }, cadence: 'constant' } as const;
  const rate = rational(25, 1);
  if (role === 'smaller') return { ...small, rate, numbers: numbersOf('constant', 10, rate), isDefault: false };
  // without a flag of the tracks, the first one would be chosen
  const picture = { ...small, rate, codec: 'mjpeg', colours: 'untagged', isDefault: role === 'thumbnail' } as const;
  return { ...picture, numbers: [0], bFrames: 0 };
}

const framesOf = (seconds: number, rate: Rational): number => Math.min(maxFrames, Math.round(seconds * toNumber(rate)));
