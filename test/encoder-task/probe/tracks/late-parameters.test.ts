import { expect, test } from 'vitest';
import { bytesToProbe } from '../../../../encoder-task/probe/tracks/late-parameters.ts';
import { createSurvey } from '../../../../encoder-task/probe/tracks/packet-survey.ts';
import { probeDocumentSchema } from '../../../../shared/protocol/probe-document.ts';

const video = { codec_type: 'video', codec_name: 'h264', width: 320, height: 180, pix_fmt: 'yuv420p' };
const audio = { codec_type: 'audio', codec_name: 'aac', sample_rate: '48000', channels: 2 };

/** Ten packets of 1 MB of stream 0, of which the last is a key packet, and then one of stream 1. */
function bytesFor(...streams: object[]): number | undefined {
  const survey = createSurvey();
  const packet = { dts: 0, durationTicks: 1, endByte: 0, isPresented: true, isDamaged: false };
  for (let n = 1; n <= 10; n++) survey.add({ ...packet, streamIndex: 0, pts: n, bytes: 1e6, isKey: n === 10 });
  survey.add({ ...packet, streamIndex: 1, pts: 11, bytes: 500, isKey: true });
  const described = streams.map((stream, index) => ({ index, ...stream }));
  const document = { format: { format_name: 'mpegts' }, streams: described };
  return bytesToProbe(probeDocumentSchema.parse(document), survey.streams);
}

test('a file whose streams are all described is not probed again', () => {
  expect(bytesFor(video, audio)).toBeUndefined();
});

test.each<[string, object[], number | undefined]>([
  ['sound is read up to its first packet', [video, { ...audio, sample_rate: '0', channels: 0 }], 15_000_500],
  ['video is read up to its first key packet', [{ codec_type: 'video', codec_name: 'h264' }, audio], 15_000_000],
  ['a stream without packets is not searched for', [video, audio, { codec_type: 'audio' }], undefined],
  ['a codec without a decoder has no parameters', [video, { codec_type: 'audio', codec_name: 'ac4' }], undefined],
  ['a cover has none either', [{ codec_type: 'video', disposition: { attached_pic: 1 } }, audio], undefined],
  ['data has none either', [video, { codec_type: 'data' }], undefined],
])('%s, and 5 MB more', (_, streams, bytes) => {
  expect(bytesFor(...streams)).toBe(bytes);
});
