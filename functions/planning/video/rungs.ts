import { videoCodecFacts } from '../../../shared/media/codecs.ts';
import type { Rational } from '../../../shared/media/rational.ts';
import { formatRational } from '../../../shared/media/rational.ts';
import type { Rung } from '../../../shared/protocol/encode-spec.ts';
import type { VideoEntry } from '../../templates/query-structure.ts';
import type { Size } from './display-size.ts';
import { outputRate } from './frame-rate.ts';
import { rateControl } from './rate-control.ts';
import { type Fit, type Fitted, fitInto } from './scale.ts';

/** A rung and what it was made from. `duplicates` are entries that come out the same for this source and are served by this one. */
export type PlannedRung = {
  rung: Rung;
  entry: VideoEntry;
  duplicates: string[];
  frameRate: Rational;
  /** frames are dropped to reach `frameRate` */
  isCapped: boolean;
};

type Candidate = PlannedRung & { fitted: Fitted };

/**
 * Rungs for one source, big to small. Entries with different boxes that fall together because the source is small become one, that of the
 * smallest box; entries that ask for the same box are meant to differ and stay.
 */
export function planRungs(
  entries: VideoEntry[],
  fit: Fit,
  source: { display: Size; frameRate: Rational },
): PlannedRung[] {
  const kept: Candidate[] = [];
  for (const candidate of entries.map((entry) => candidateOf(entry, fit, source)).sort(smallBoxFirst)) {
    const twin = kept.find((other) => isSame(other, candidate) && !hasSameBox(other.entry, candidate.entry));
    if (twin) twin.duplicates.push(candidate.entry.name);
    else kept.push(candidate);
  }
  return kept.sort(bigFirst).map(({ fitted: _, ...planned }) => planned);
}

function candidateOf(entry: VideoEntry, fit: Fit, source: { display: Size; frameRate: Rational }): Candidate {
  const fitted = fitInto(source.display, entry, fit, videoCodecFacts[entry.codec].minSide);
  const shrink = fitted.isClamped ? (fitted.width * fitted.height) / fitted.boxPixels : 1;
  return {
    ...outputRate(source.frameRate, entry.fps),
    entry,
    fitted,
    duplicates: [],
    rung: {
      name: entry.name,
      codec: entry.codec,
      width: fitted.width,
      height: fitted.height,
      crop: fitted.crop,
      pad: fitted.pad,
      ...(isSquare(fitted) ? {} : { sampleAspectRatio: fitted.sampleAspectRatio }),
      rate: rateControl(entry, Math.min(1, shrink)),
      profile: entry.profile ?? null,
      level: entry.level ?? null,
      preset: entry.preset,
      pixelFormat: entry.pixel_format,
    },
  };
}

const isSquare = ({ sampleAspectRatio: { num, den } }: Fitted): boolean => num === den;

/** The frame that is encoded: the picture and the bars around it. */
export const frameSize = ({ width, height, pad }: Rung): Size => pad ?? { width, height };

const pixels = ({ rung }: PlannedRung): number => frameSize(rung).width * frameSize(rung).height;

const bits = ({ rung: { rate } }: PlannedRung): number =>
  rate.mode === 'bitrate' ? rate.bitrateBps : (rate.maxBitrateBps ?? Number.MAX_SAFE_INTEGER - rate.crf);

const smallBoxFirst = (a: Candidate, b: Candidate): number =>
  a.fitted.boxPixels - b.fitted.boxPixels || bits(b) - bits(a);

const bigFirst = (a: PlannedRung, b: PlannedRung): number => pixels(b) - pixels(a) || bits(b) - bits(a);

const isSame = (a: PlannedRung, b: PlannedRung): boolean =>
  a.rung.codec === b.rung.codec &&
  frameSize(a.rung).width === frameSize(b.rung).width &&
  frameSize(a.rung).height === frameSize(b.rung).height &&
  formatRational(a.frameRate) === formatRational(b.frameRate) &&
  a.entry.gop === b.entry.gop;

const hasSameBox = (a: VideoEntry, b: VideoEntry): boolean => a.width === b.width && a.height === b.height;
