import { describe, expect, test } from 'vitest';
import { chooseVideo, describeChoice } from '../../../../encoder-task/probe/tracks/choose-video.ts';
import type { Survey } from '../../../../encoder-task/probe/tracks/packet-survey.ts';
import { probeDocumentSchema } from '../../../../shared/protocol/probe-document.ts';

type Given = { frames?: number; seconds?: number; isDefault?: boolean } & Record<string, unknown>;

/** Tracks of H.264 in 1280 × 720 with 25 frames in each of 60 s, except as given. */
function choose(...given: Given[]) {
  const { streams } = probeDocumentSchema.parse({
    format: { format_name: 'matroska,webm' },
    streams: given.map(({ frames: _, seconds: __, isDefault = false, ...fields }, index) => ({
      index,
      codec_type: 'video',
      codec_name: 'h264',
      width: 1280,
      height: 720,
      pix_fmt: 'yuv420p',
      time_base: '1/1000',
      disposition: { default: Number(isDefault) },
      ...fields,
    })),
  });
  const survey: Survey = new Map(
    given.map(({ frames, seconds = 60 }, index) => [
      index,
      { packets: frames ?? seconds * 25, startPts: 0, endPts: seconds * 1000, bytesUntilKey: 1000 },
    ]),
  );
  const choice = chooseVideo(streams, survey);
  return { index: choice.video?.index, ...describeChoice(choice), guessed: chooseVideo(streams).video?.index };
}

describe('the video that is encoded', () => {
  test.each<[string, Given[], number, string]>([
    ['has frames, whatever is flagged', [{ frames: 1, isDefault: true }, {}], 1, 'pictures'],
    ['is not a track of thumbnails', [{ frames: 6, codec_name: 'mjpeg' }, {}], 1, 'pictures'],
    ['is not a depth map by its name', [{ tags: { handler_name: 'Depth map' }, isDefault: true }, {}], 1, 'auxiliary'],
    ['is not the disparity of a cinematic video', [{ codec_tag_string: 'dish', isDefault: true }, {}], 1, 'auxiliary'],
    ['is not an enhancement layer', [{ side_data_list: [layer], isDefault: true }, {}], 1, 'auxiliary'],
    ['can be decoded', [{ codec_name: 'vvc', isDefault: true }, {}], 1, 'unsupported'],
    ['has packets', [{ frames: 0, isDefault: true }, {}], 1, 'unsupported'],
    ['is not the one with a signer', [{ disposition: { default: 1, hearing_impaired: 1 } }, {}], 1, 'role'],
    ['is the default one', [{ width: 1920, height: 1080 }, { isDefault: true }], 1, 'default'],
    ['is the longer one', [{ seconds: 20 }, {}], 1, 'length'],
    ['is the larger one', [{}, { width: 1920, height: 1080 }, { seconds: 59 }], 1, 'size'],
    ['is the first of two lenses', [{}, {}], 0, 'order'],
  ])('%s', (_, tracks, chosen, reason) => {
    const { index, decisions } = choose(...tracks);
    expect(index).toBe(chosen);
    expect(decisions).toMatchObject([{ facts: { reason } }]);
  });
});

const layer = { side_data_type: 'DOVI configuration record', dv_profile: 7, bl_present_flag: 0 };

test('each track that is left out is in one decision, and a warning names the video that viewers miss', () => {
  const { index, decisions, warnings } = choose({ frames: 1 }, {}, { isDefault: true }, { frames: 2 });
  expect(index).toBe(2);
  const chosen =
    'The file has 2 video tracks, of which one is encoded: track 2. ' +
    'Track 1 is left out: disabled, or not the default track.';
  expect(decisions).toEqual([
    { code: 'video_track_chosen', message: chosen, facts: { stream: 2, streams: [1], reason: 'default' } },
    {
      code: 'video_track_left_out',
      message: 'Video tracks 0, 3 are left out: only a few pictures.',
      facts: { streams: [0, 3], reason: 'pictures' },
    },
  ]);
  expect(warnings).toEqual([chosen]);
});

test('one track needs no decision', () => {
  expect(choose({ frames: 1 })).toMatchObject({ index: 0, decisions: [], warnings: [] });
});

test('before packets are read, numbers of frames count only if headers have all of them', () => {
  expect(choose({ nb_frames: '1', isDefault: true }, { nb_frames: '1500' }).guessed).toBe(1);
  expect(choose({ nb_frames: '1', isDefault: true }, {}).guessed).toBe(0);
});
