import { videoCodecs } from '../../../lab/random-sources/description/containers.ts';
import {
  type AudioTrack,
  chosenAudio,
  displayShape,
  endSeconds,
  isText,
  mainVideo,
  type Source,
  type VideoTrack,
} from '../../../lab/random-sources/description/source.ts';
import { expectedDecisions } from '../../../lab/random-sources/expectation/expected-decisions.ts';
import {
  expectedRate,
  picturesOf,
  presentationSeconds,
} from '../../../lab/random-sources/expectation/expected-times.ts';
import { numberBits, patches, transparentPatch } from '../../../lab/random-sources/making/picture-graph.ts';
import { toneSeconds } from '../../../lab/random-sources/making/tone-graph.ts';
import { type DecodedVideo, soundChannels, soundHz } from '../../../lab/random-sources/reading/decode.ts';
import { fitted, type Rect } from '../../../lab/random-sources/reading/picture.ts';
import type { Result } from '../../../lab/random-sources/reading/read-result.ts';

/** What a source becomes when nothing goes wrong, drawn and sounded from its description. */
export function perfectResult(source: Source): Result {
  const track = mainVideo(source);
  const audio = chosenAudio(source);
  const isPair = audio.some(({ role }) => role === 'left');
  const renditions = isPair ? [audio] : audio.map((one) => [one]);
  const seconds = presentationSeconds(source);
  return {
    video: track ? drawn(source, track) : null,
    audio: renditions.map((tracks) => ({ ...sounded(tracks, seconds), isDefault: tracks[0]!.role === 'main' })),
    ends: [{ name: 'the DASH manifest', seconds }],
    decisions: [...expectedDecisions(source).required].map((code) => ({ code, message: '' })),
    warnings: [],
    colours: track ? [{ color_space: 'bt709' }, { color_space: 'bt709' }] : [],
    captions: source.tracks
      .filter(isText)
      .filter(({ isTelemetry }) => !isTelemetry)
      .map(({ language, isForced }) => ({ language, kind: isForced ? 'forced' : 'subtitles', isDefault: false })),
  };
}

function drawn(source: Source, track: VideoTrack): DecodedVideo {
  const { shape, change, numbers } = track;
  const usual = change && change.atNumber < numbers.length / 2 ? change.shape : shape;
  const height = 48;
  const width = Math.round(height * displayShape(usual));
  const { most } = expectedRate(track, source.fpsCap);
  const pictures = picturesOf(track);
  const shapeOf = (number: number): Rect =>
    fitted({ width, height }, displayShape(change && number >= change.atNumber ? change.shape : shape));
  const images = new Map(
    pictures.map(({ number }) => [
      number,
      imageOf(number, { width, height }, shapeOf(number), { track, background: source.background ?? [0, 0, 0] }),
    ]),
  );
  const frames = Array.from({ length: Math.max(1, Math.round(presentationSeconds(source) * most)) }, (_, n) => {
    const picture = pictures.findLast(({ fromSeconds }) => fromSeconds <= (n + 0.5) / most) ?? pictures[0]!;
    return { seconds: n / most, pixels: images.get(picture.number)! };
  });
  return { width, height, sampleAspectRatio: 1, frames };
}

/** Bars in the upper half of the picture, patches in the lower one, black around it. */
type Look = { track: VideoTrack; background: readonly number[] };

function imageOf(
  number: number,
  frame: { width: number; height: number },
  rect: Rect,
  { track, background }: Look,
): Buffer {
  const { hasAlpha = false } = videoCodecs[track.codec];
  const row = (colourAt: (share: number) => readonly number[]): Buffer => {
    const pixels = Buffer.alloc(frame.width * 3);
    for (let x = Math.ceil(rect.x); x < rect.x + rect.width; x++)
      pixels.set(colourAt((x - rect.x) / rect.width), x * 3);
    return pixels;
  };
  const bars = row((share) => ((number >> Math.floor(share * numberBits)) & 1 ? [255, 255, 255] : [0, 0, 0]));
  const colours = row((share) => {
    const patch = Math.floor(share * patches.length);
    return hasAlpha && patch === transparentPatch ? background : patches[patch]!;
  });
  const black = Buffer.alloc(frame.width * 3);
  const rows = Array.from({ length: frame.height }, (_, y) =>
    y < rect.y || y >= rect.y + rect.height ? black : y < rect.y + rect.height / 2 ? bars : colours,
  );
  return Buffer.concat(rows);
}

function sounded(tracks: readonly AudioTrack[], seconds: number): { samples: Int16Array } {
  const samples = new Int16Array(Math.round(seconds * soundHz) * soundChannels);
  for (let channel = 0; channel < soundChannels; channel++) {
    const track = tracks[channel] ?? tracks[0]!;
    const [start, end] = [track.startSeconds, endSeconds(track)];
    for (let n = 0; n < samples.length / soundChannels; n++) {
      const at = n / soundHz;
      if (at < start || at >= end || (at >= start + toneSeconds && at < end - toneSeconds)) continue;
      const hz = at < start + toneSeconds ? track.firstHz : track.lastHz;
      samples[n * soundChannels + channel] = 16_000 * Math.sin(2 * Math.PI * hz * (at - start));
    }
  }
  return { samples };
}
