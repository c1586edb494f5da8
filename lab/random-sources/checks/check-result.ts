import { isText, mainVideo, type Source } from '../description/source.ts';
import { expectedDecisions } from '../expectation/expected-decisions.ts';
import { chosenTracks, presentationSeconds, slackSeconds } from '../expectation/expected-times.ts';
import type { Result } from '../reading/read-result.ts';
import { checkPictures } from './check-pictures.ts';
import { checkSound, soundEnds } from './check-sound.ts';

/** An AAC packet of 48 kHz, and the rounding of the times in playlists. */
const packetSeconds = 1024 / 48_000 + 0.002;

/** All that is wrong with what a source became, in sentences. */
export const checkResult = (source: Source, result: Result): string[] => [
  ...checkEnds(source, result),
  ...checkPictures(source, result.video),
  ...checkSound(source, result.audio),
  ...checkDecisions(source, result),
  ...checkWarnings(source, result),
  ...checkTags(source, result),
  ...checkCaptions(source, result),
];

/** Every rendition ends where the presentation ends, within one frame or audio packet. */
function checkEnds(source: Source, { ends, video, audio }: Result): string[] {
  const frames = video?.frames ?? [];
  const frameSeconds = frames.length > 1 ? frames[1]!.seconds - frames[0]!.seconds : 0;
  const all = [
    ...ends,
    // how long a single frame lasts is not to be seen from times
    ...(frames.length > 1 ? [{ name: 'the last frame', seconds: frames.at(-1)!.seconds + frameSeconds }] : []),
    ...soundEnds(audio),
  ];
  const wanted = presentationSeconds(source);
  const tolerance = Math.max(frameSeconds, packetSeconds) + 0.001;
  const slack = tolerance + slackSeconds(source);
  const [first, last] = [
    Math.min(...all.map(({ seconds }) => seconds)),
    Math.max(...all.map(({ seconds }) => seconds)),
  ];
  const wrong = all.filter(({ seconds }) => !(Math.abs(seconds - wanted) <= slack));
  const found = wrong.map(
    ({ name, seconds }) => `${name} ends at ${seconds.toFixed(3)} s instead of ${wanted.toFixed(3)} s`,
  );
  // A playlist says how long a rendition is, and its first frame may be one frame late.
  if (found.length > 0 || last - first <= 3 * tolerance) return found;
  return [`renditions end between ${first.toFixed(3)} and ${last.toFixed(3)} s`];
}

function checkDecisions(source: Source, { decisions }: Result): string[] {
  const { required, allowed } = expectedDecisions(source);
  const codes = new Set(decisions.map(({ code }) => code));
  return [
    ...[...required].filter((code) => !codes.has(code)).map((code) => `there is no decision ${code}`),
    ...decisions
      .filter(({ code }) => !([...allowed] as string[]).includes(code))
      .map(({ code, message }) => `the decision ${code} has no cause: ${message}`),
  ];
}

const damage = /damage|broken|missing|incomplete|truncated|(can|could) ?not be (read|decoded)/i;

/** No source is damaged. One with both video and audio that needs no decision has no warning at all. */
function checkWarnings(source: Source, { warnings }: Result): string[] {
  const isPlain =
    expectedDecisions(source).allowed.size === 0 && new Set(chosenTracks(source).map(({ type }) => type)).size === 2;
  return warnings
    .filter((warning) => isPlain || damage.test(warning))
    .map((warning) => `a warning without cause: ${warning}`);
}

/** Browsers guess colours that are not named, by the size of the picture. All renditions name the same. */
function checkTags(source: Source, { colours }: Result): string[] {
  if (!mainVideo(source)) return [];
  const different = new Set(colours.map((one) => JSON.stringify(one)));
  const unnamed = colours.flatMap((one) =>
    Object.entries(one).filter(([, value]) => value === null || value === 'unknown'),
  );
  return [
    ...(different.size > 1 ? [`the renditions have different colours: ${[...different].join(' and ')}`] : []),
    ...(unnamed.length > 0
      ? [`the renditions do not name ${[...new Set(unnamed.map(([name]) => name))].join(', ')}`]
      : []),
  ];
}

function checkCaptions({ tracks }: Source, { captions }: Result): string[] {
  const wanted = tracks.filter(isText).filter(({ isTelemetry }) => !isTelemetry);
  const text = (list: string[]): string => list.toSorted().join(', ') || 'none';
  const [asked, made] = [
    text(wanted.map(({ language, isForced }) => `${isForced ? 'forced' : 'subtitles'} ${language.slice(0, 2)}`)),
    text(captions.map(({ language, kind }) => `${kind} ${language.slice(0, 2)}`)),
  ];
  const isDefault = captions.some((one) => one.isDefault && one.kind !== 'forced');
  return [
    ...(asked === made ? [] : [`captions: ${made} instead of ${asked}`]),
    ...(isDefault ? ['a caption is the default, although it is not forced'] : []),
  ];
}
