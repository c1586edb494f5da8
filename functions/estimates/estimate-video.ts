import type { AudioCodec, VideoCodec } from '../../shared/media/codecs.ts';
import { toNumber } from '../../shared/media/rational.ts';
import type { TaskSize } from '../../shared/pricing/task-hour.ts';
import { dollarsOf, videoCost } from '../../shared/pricing/video-cost.ts';
import { askedTracks, chosenAudio } from '../planning/audio/choose-tracks.ts';
import type { PlannedOutput } from '../planning/encoding-plan.ts';
import { type PlannedTracks, planTracks, refuseTooManySegments, type Variants } from '../planning/plan-tracks.ts';
import { estimatedVideoSeconds } from '../planning/speech/speech-parts.ts';
import { plannedSeeks } from '../planning/thumbnail-plan.ts';
import { changedTrack } from '../planning/video/change-picture.ts';
import { chunkRanges } from '../planning/video/chunks.ts';
import { qualityPeakFactor, typicalBitrateBps } from '../planning/video/ladder.ts';
import { phasedGroups } from '../planning/video/phases.ts';
import { rungGroups } from '../planning/video/rung-groups.ts';
import { frameSize, type PlannedRung } from '../planning/video/rungs.ts';
import { unknownContent } from '../planning/video/source-content.ts';
import { chooseStarter } from '../planning/video/starter.ts';
import type { TemplateQuery } from '../templates/template-query.ts';
import { type AssumedSource, assumedTracks } from './assumed-tracks.ts';
import { cpuRange, type Range } from './cpu-range.ts';

export type EstimatedRendition = {
  kind: 'video' | 'audio';
  name: string;
  codec: VideoCodec | AudioCodec;
  width: number | null;
  height: number | null;
  fps: number | null;
  bitrateBps: number;
  bytes: number;
};

export type Estimate = {
  renditions: EstimatedRendition[];
  outputs: (Pick<PlannedOutput, 'name' | 'format' | 'container'> & { bytes: number })[];
  /** what is stored: segments that outputs share once, remuxed outputs in addition */
  bytes: number;
  cpuSeconds: Range;
  dollars: Range;
};

/**
 * What a template makes of a source, from the same plan as a run, and what that costs on Fargate. It needs no frame
 * index, so a day of video takes no longer than a minute.
 * @throws JobError INPUT_TOO_LARGE, INPUT_CROP_EMPTY for a source that a run would refuse
 */
export function estimateVideo(
  query: TemplateQuery,
  source: AssumedSource,
  { task, hasSpeechModel }: { task: TaskSize; hasSpeechModel: boolean },
): Estimate {
  const assumed = assumedTracks(source, askedTracks(query.tracks));
  const tracks = {
    video: changedTrack(assumed.video, query.picture),
    audio: chosenAudio(assumed.audio, query.tracks),
  };
  const { variants, outputs } = planTracks(tracks, query);
  refuseTooManySegments(source.durationSeconds, variants);
  const isMeasured = query.ladder?.mode === 'quality';
  const renditions = renditionsOf(variants, { durationSeconds: source.durationSeconds, isMeasured });
  const sized = outputs.map((output) => ({ ...output, bytes: outputBytes(output, renditions) }));
  const copies = sized.filter(isRemuxed);

  const groupsOf = (video: Variants['video']) =>
    phasedGroups(rungGroups(tracks.video, video, { originSeconds: 0, durationSeconds: source.durationSeconds }), {
      starter: chooseStarter(outputs, video),
      // The workers that are priced here are the many of a pool.
      capacity: Number.POSITIVE_INFINITY,
      workers: 1,
      content: unknownContent(source),
      targetChunkSeconds: query.chunk_duration,
    }).map((group) => ({ ...group, chunks: chunkRanges(group.grid, group).length }));
  const rangeOf = (planned: ReturnType<typeof groupsOf>): Range =>
    cpuRange({
      groups: planned,
      audioRenditions: variants.audio.length,
      hasThumbnails: query.thumbnails !== undefined,
      seeks: query.thumbnails ? plannedSeeks(query.thumbnails, source.durationSeconds) : 0,
      durationSeconds: source.durationSeconds,
    });
  const groups = groupsOf(variants.video);
  const encoded = rangeOf(groups);
  // The file may be what its largest rung asks for.
  const copied = (): Range => rangeOf(groupsOf(variants.video.map((variant) => asCopy(variant, source))));
  const made = query.copy === 'auto' && !tracks.video.change ? { ...encoded, min: copied().min } : encoded;
  const isTranscribed = hasSpeechModel && (query.captions?.generate ?? 'off') !== 'off' && variants.audio.length > 0;
  const cpuSeconds = isTranscribed ? { ...made, max: made.max + speechSeconds(query, source) } : made;
  const work = {
    durationSeconds: source.durationSeconds,
    chunks: groups.reduce((sum, { chunks }) => sum + chunks, 0),
    renditions: variants.video.length,
    segmentSeconds: Math.min(...[...variants.video, ...variants.audio].map(({ segmentSeconds }) => segmentSeconds)),
    outputs: { manifests: outputs.length - copies.length, copies: copies.length },
  };
  const dollars = (seconds: number, spot: number) => dollarsOf(videoCost({ ...work, cpuSeconds: seconds }, task, spot));
  return {
    renditions,
    outputs: sized.map(({ name, format, container, bytes }) => ({ name, format, container, bytes })),
    bytes: bytesOf(renditions) + bytesOf(copies),
    cpuSeconds,
    dollars: { min: dollars(cpuSeconds.min, 1), max: dollars(cpuSeconds.max, 0) },
  };
}

/** CPU seconds to recognise speech, if the tracks are in different languages. Silence needs none. */
function speechSeconds({ tracks, captions }: TemplateQuery, { durationSeconds }: AssumedSource): number {
  const spoken = tracks && tracks.audio !== 'auto' ? tracks.audio.length : 1;
  const wanted = Math.min(spoken, captions?.generate_languages?.length ?? spoken);
  return wanted * estimatedVideoSeconds(durationSeconds);
}

/** The rung as a copy, if a file of this size and frame rate can be copied for it. */
function asCopy(variant: Variants['video'][number], { width, height }: AssumedSource): Variants['video'][number] {
  const { rung, isCapped } = variant.item;
  const isLikely = rung.codec === 'h264' && rung.width === width && rung.height === height && !rung.pad && !isCapped;
  return isLikely ? { ...variant, item: { ...variant.item, rung: { ...rung, copied: true } } } : variant;
}

function renditionsOf(
  { video, audio }: PlannedTracks['variants'],
  { durationSeconds, isMeasured }: { durationSeconds: number; isMeasured: boolean },
): EstimatedRendition[] {
  const bytes = (bitrateBps: number) => Math.round((bitrateBps * durationSeconds) / 8);
  return [
    ...video.map(({ item, name }) => {
      const bitrateBps = expectedBitrateBps(item, isMeasured);
      return {
        kind: 'video' as const,
        name,
        codec: item.rung.codec,
        ...frameSize(item.rung),
        fps: Math.round(toNumber(item.frameRate) * 1000) / 1000,
        bitrateBps,
        bytes: bytes(bitrateBps),
      };
    }),
    ...audio.map(({ item: { rendition }, name }) => ({
      kind: 'audio' as const,
      name,
      codec: rendition.codec,
      width: null,
      height: null,
      fps: null,
      bitrateBps: rendition.bitrateBps,
      bytes: bytes(rendition.bitrateBps),
    })),
  ];
}

/**
 * The requested average; with constant quality the bitrate that is usual for it, up to the maximum. The average of a
 * measured rung is limited too, not only its peaks.
 */
function expectedBitrateBps({ rung, frameRate }: PlannedRung, isMeasured: boolean): number {
  const { rate } = rung;
  if (rate.mode === 'bitrate') return rate.bitrateBps;
  const usual = typicalBitrateBps(frameSize(rung), { codec: rung.codec, frameRate, crf: rate.crf });
  const peakFactor = isMeasured ? qualityPeakFactor(rung.codec) : 1;
  return Math.min(usual, Math.round((rate.maxBitrateBps ?? Number.POSITIVE_INFINITY) / peakFactor));
}

/** Every rung of an output in MPEG-TS contains the first audio stream. */
function outputBytes({ container, video, audio }: PlannedOutput, renditions: EstimatedRendition[]): number {
  const named = (names: string[]) => names.flatMap((name) => renditions.filter((one) => one.name === name));
  if (container !== 'ts') return bytesOf(named([...video, ...audio]));
  return bytesOf(named(video)) + Math.max(1, video.length) * bytesOf(named(audio.slice(0, 1)));
}

const isRemuxed = ({ container }: Pick<PlannedOutput, 'container'>): boolean => container !== 'fmp4';

const bytesOf = (files: { bytes: number }[]): number => files.reduce((sum, { bytes }) => sum + bytes, 0);
