import { videoCodecProperties } from '../../../shared/media/codecs.ts';
import type { Rational } from '../../../shared/media/rational.ts';
import { formatRational, toNumber } from '../../../shared/media/rational.ts';
import type { Decision } from '../../../shared/protocol/decisions.ts';
import type { Rung } from '../../../shared/protocol/encode-spec.ts';
import { fittingLevel } from '../../templates/levels.ts';
import type { VideoEntry } from '../../templates/query-structure.ts';
import type { Size } from './display-size.ts';
import { outputRate } from './frame-rate.ts';
import { rateControl } from './rate-control.ts';
import { type Fit, type Fitted, fitInto } from './scale.ts';

/**
 * A rung and its template entry. `duplicates` are names of other entries that give the same rung for this source; this
 * rung is used for them.
 */
export type PlannedRung = {
  rung: Rung;
  entry: VideoEntry;
  duplicates: string[];
  frameRate: Rational;
  /** the entry limits the frame rate of this source */
  isCapped: boolean;
  /** whole frames of the slowest rung, near to what the entry asks for */
  gopSeconds: number;
};

type Candidate = Omit<PlannedRung, 'gopSeconds'> & { fitted: Fitted };

/**
 * The rungs for one source, largest first. Entries with different boxes that give the same size, because the source is
 * small, become one rung, made from the entry with the smallest box. Entries with the same box are intended to differ
 * and are all kept.
 */
export function planRungs(
  entries: VideoEntry[],
  fit: Fit,
  source: { display: Size; frameRate: Rational },
): PlannedRung[] {
  const rungs: Candidate[] = [];
  for (const candidate of entries.map((entry) => candidateOf(entry, fit, source)).sort(smallestBoxFirst)) {
    const duplicate = rungs.find((other) => isSame(other, candidate) && !hasSameBox(other.entry, candidate.entry));
    if (duplicate) duplicate.duplicates.push(candidate.entry.name);
    else rungs.push(candidate);
  }
  const slowestFps = Math.min(...rungs.map(({ frameRate }) => toNumber(frameRate)));
  return rungs
    .sort(largestFirst)
    .map(({ fitted: _, ...planned }) => ({ ...planned, gopSeconds: sharedGopSeconds(planned.entry.gop, slowestFps) }));
}

/**
 * Rungs with lower rates have every second, third or n-th frame. If each had whole frames near the requested length,
 * one of 25 fps would have GOPs of 1 s and one of 12.5 fps GOPs of 1.04 s, and players could not switch between them.
 */
export const sharedGopSeconds = (askedSeconds: number, slowestFps: number): number =>
  Math.max(1, Math.round(askedSeconds * slowestFps)) / slowestFps;

function candidateOf(entry: VideoEntry, fit: Fit, source: { display: Size; frameRate: Rational }): Candidate {
  const fitted = fitInto(source.display, entry, fit, videoCodecProperties[entry.codec].minSide);
  const pixelShare = fitted.isClamped ? (fitted.width * fitted.height) / fitted.boxPixels : 1;
  const { frameRate, isCapped } = outputRate(source.frameRate, entry.fps);
  return {
    frameRate,
    isCapped,
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
      rate: rateControl(entry, Math.min(1, pixelShare)),
      profile: entry.profile ?? null,
      level: fittingLevel(entry.codec, entry.level, fitted.pad ?? fitted, frameRate),
      preset: entry.preset,
      pixelFormat: entry.pixel_format,
    },
  };
}

const isSquare = ({ sampleAspectRatio: { num, den } }: Fitted): boolean => num === den;

/** The size of the encoded frame, padding included. */
export const frameSize = ({ width, height, pad }: Rung): Size => pad ?? { width, height };

const pixels = ({ rung }: Pick<PlannedRung, 'rung'>): number => frameSize(rung).width * frameSize(rung).height;

const bits = ({ rung: { rate } }: Pick<PlannedRung, 'rung'>): number =>
  rate.mode === 'bitrate' ? rate.bitrateBps : (rate.maxBitrateBps ?? Number.MAX_SAFE_INTEGER - rate.crf);

const smallestBoxFirst = (a: Candidate, b: Candidate): number =>
  a.fitted.boxPixels - b.fitted.boxPixels || bits(b) - bits(a);

const largestFirst = (a: Candidate, b: Candidate): number => pixels(b) - pixels(a) || bits(b) - bits(a);

const isSame = (a: Candidate, b: Candidate): boolean =>
  a.rung.codec === b.rung.codec &&
  frameSize(a.rung).width === frameSize(b.rung).width &&
  frameSize(a.rung).height === frameSize(b.rung).height &&
  formatRational(a.frameRate) === formatRational(b.frameRate) &&
  a.entry.gop === b.entry.gop;

const hasSameBox = (a: VideoEntry, b: VideoEntry): boolean => a.width === b.width && a.height === b.height;

/** Each level that is higher than the template asks for. */
export const levelDecisions = (rungs: PlannedRung[]): Decision[] =>
  rungs
    .filter(({ rung, entry }) => entry.level !== undefined && rung.level !== entry.level)
    .map(({ rung, entry, frameRate }) => {
      const { width, height } = frameSize(rung);
      const frames = `${width} × ${height} at ${Math.round(toNumber(frameRate) * 1000) / 1000} frames per second`;
      return {
        code: 'level_raised',
        message: `Rung ${rung.name} has level ${rung.level} instead of ${entry.level}: ${frames} do not fit that level.`,
        facts: { stream: rung.name, level: rung.level ?? '', asked: entry.level ?? '' },
      };
    });
