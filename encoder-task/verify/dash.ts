import { XMLParser } from 'fast-xml-parser';
import { checkAlignment } from './alignment.ts';
import { readText } from './read-bytes.ts';
import type { ReadRendition } from './read-rendition.ts';
import { endSeconds, fileName, isNearly, peakBitrate, type Rendition, type Report } from './rendition.ts';

type Element = { [name: string]: Element[] | string | undefined };
type Played = { name: string; rendition: Rendition; offsetSeconds: number };

const repeated = ['Period', 'AdaptationSet', 'Representation', 'SegmentList', 'SegmentTimeline', 'S', 'SegmentURL'];
const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  isArray: (name, _, __, isAttribute) =>
    !isAttribute && [...repeated, 'Initialization', 'AudioChannelConfiguration'].includes(name),
});

/** Checks a static MPD with lists of segments against their files. */
export async function checkDash(url: URL, read: ReadRendition, report: Report): Promise<void> {
  const wrong = (what: string): void => report(fileName(url), what);
  let mpd: Element;
  try {
    mpd = (parser.parse(await readText(url), true) as { MPD: Element }).MPD;
  } catch (error) {
    return wrong(`cannot be read: ${(error as Error).message}`);
  }
  const played: Played[] = [];
  const ids = new Set<string>();
  for (const set of children(children(mpd, 'Period')[0], 'AdaptationSet')) {
    if (ids.has(text(set.id))) wrong(`two adaptation sets have the id ${text(set.id)}`);
    ids.add(text(set.id));
    if (set.mimeType === 'text/vtt') {
      for (const representation of children(set, 'Representation')) await checkText(representation, url, wrong);
      continue;
    }
    const members: Played[] = [];
    for (const representation of children(set, 'Representation')) {
      const rendition = await checkRepresentation(representation, url, read, wrong);
      if (rendition) members.push(rendition);
      if (rendition) checkDescription(set, representation, rendition.rendition, wrong);
    }
    if (set.segmentAlignment === 'true') checkAlignment(members, report);
    played.push(...members);
  }
  if (played.length === 0) return wrong('has no representation');
  checkLength(mpd, played, wrong);
}

/** A text track is one file beside the segments. */
async function checkText(representation: Element, url: URL, wrong: (what: string) => void): Promise<void> {
  const path = text(representation.BaseURL);
  try {
    if (!/^WEBVTT\s/.test(await readText(new URL(path, url)))) wrong(`${path} is not WebVTT`);
  } catch (error) {
    wrong(`${path} cannot be read: ${(error as Error).message}`);
  }
}

async function checkRepresentation(
  representation: Element,
  url: URL,
  read: ReadRendition,
  wrong: (what: string) => void,
): Promise<Played | undefined> {
  const name = text(representation.id);
  const list = children(representation, 'SegmentList')[0];
  const timeline = children(children(list, 'SegmentTimeline')[0], 'S');
  const paths = children(list, 'SegmentURL').map(({ media }) => text(media));
  const init = text(children(list, 'Initialization')[0]?.sourceURL);
  const rendition = await read(
    new URL(init, url),
    paths.map((path) => new URL(path, url)),
  );
  if (!list || !rendition) return undefined;
  const timescale = Number(list.timescale ?? 1);
  const times = expandTimeline(timeline);
  if (times.length !== paths.length) wrong(`${name} has ${times.length} times for ${paths.length} segments`);
  for (const [index, { start, duration }] of times.entries()) {
    const segment = rendition.segments[index];
    if (!segment) continue;
    const differs = (ticks: number, seconds: number) => Math.abs(ticks - seconds * timescale) > 0.01;
    if (differs(start, segment.startSeconds))
      wrong(`${name}: ${paths[index]} starts at ${segment.startSeconds} s, not ${start / timescale}`);
    if (differs(duration, segment.durationSeconds)) {
      wrong(`${name}: ${paths[index]} lasts ${segment.durationSeconds} s, not ${duration / timescale}`);
    }
  }
  return { name, rendition, offsetSeconds: Number(list.presentationTimeOffset ?? 0) / timescale };
}

function expandTimeline(timeline: Element[]): { start: number; duration: number }[] {
  let next = 0;
  return timeline.flatMap(({ t, d, r }) => {
    if (t !== undefined) next = Number(t);
    return Array.from({ length: 1 + Number(r ?? 0) }, () => {
      const start = next;
      next += Number(d);
      return { start, duration: Number(d) };
    });
  });
}

function checkDescription(
  set: Element,
  representation: Element,
  rendition: Rendition,
  wrong: (what: string) => void,
): void {
  const report = (what: string): void => wrong(`${text(representation.id)} ${what}`);
  const longest = Math.max(...rendition.segments.map((segment) => segment?.durationSeconds ?? 0));
  const peak = peakBitrate(rendition, Math.max(1, Math.round(longest)));
  if (!isNearly(Number(representation.bandwidth), peak)) {
    report(`has a peak of ${Math.ceil(peak)} bit/s, not ${text(representation.bandwidth)}`);
  }
  if (text(representation.codecs) !== rendition.codecs.join())
    report(`has ${rendition.codecs}, not ${text(representation.codecs)}`);
  if (text(set.contentType) !== rendition.kind) report(`is ${rendition.kind}, not ${text(set.contentType)}`);
  const { width, height, sampleAspectRatio, framesPerSecond, channels } = rendition;
  if (width && (Number(representation.width) !== width || Number(representation.height) !== height)) {
    report(`has ${width} × ${height} pixels, not ${text(representation.width)} × ${text(representation.height)}`);
  }
  const sar = `${sampleAspectRatio.num}:${sampleAspectRatio.den}`;
  if (width && text(representation.sar) !== sar)
    report(`has a pixel aspect ratio of ${sar}, not ${text(representation.sar)}`);
  const [num, den = '1'] = text(representation.frameRate).split('/');
  if (framesPerSecond && Math.abs(Number(num) / Number(den) - framesPerSecond) > 1e-6) {
    report(`has ${framesPerSecond} frames a second, not ${text(representation.frameRate)}`);
  }
  const declared = children(set, 'AudioChannelConfiguration')[0]?.value;
  if (channels && Number(declared) !== channels) report(`has ${channels} channels, not ${declared}`);
}

function checkLength(mpd: Element, played: Played[], wrong: (what: string) => void): void {
  const given = isoSeconds(mpd.mediaPresentationDuration);
  const real = Math.max(...played.map(({ rendition, offsetSeconds }) => endSeconds(rendition) - offsetSeconds));
  // audio is a whole number of encoder frames
  if (Math.abs(given - real) > 0.05) wrong(`lasts ${real} s, not ${given}`);
  const longest = Math.max(
    ...played.flatMap(({ rendition }) => rendition.segments.map((one) => one?.durationSeconds ?? 0)),
  );
  if (isoSeconds(mpd.maxSegmentDuration) < longest - 1e-3) wrong(`has a segment of ${longest} s`);
  const earliest = Math.min(
    ...played.map(({ rendition, offsetSeconds }) => (rendition.segments[0]?.startSeconds ?? 0) - offsetSeconds),
  );
  if (Math.abs(earliest) > 1e-3) wrong(`has no media before ${earliest} s`);
}

const isoSeconds = (duration: unknown): number => Number(/^PT([\d.]+)S$/.exec(text(duration))?.[1]);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const children = (element: Element | undefined, name: string): Element[] => {
  const found = element?.[name];
  return Array.isArray(found) ? found : [];
};
