import type { TextTrack } from '../description/source.ts';

const time = (seconds: number): string => `00:00:0${seconds.toFixed(3).replace('.', ',')}`;

/** SubRip of two sentences, or of the positions of a drone ten times a second. */
export function subtitleText({ isTelemetry, language }: TextTrack): string {
  const count = isTelemetry ? 20 : 2;
  const seconds = isTelemetry ? 0.1 : 0.9;
  const text = (n: number): string =>
    isTelemetry
      ? `F/2.8, SS 640.0, ISO 100, EV 0, GPS (8.5${410 + n}, 47.3${769 + n}, 18), D 24.1m, H 6.0m, H.S 3.2m/s, V.S 0.1m/s`
      : `Sentence ${n + 1} in ${language}.`;
  return Array.from({ length: count }, (_, n) =>
    [n + 1, `${time(n * seconds)} --> ${time((n + 1) * seconds - 0.01)}`, text(n), ''].join('\n'),
  ).join('\n');
}
