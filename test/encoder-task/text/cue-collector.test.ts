import { expect, test } from 'vitest';
import { createCueCollector, type TimedText } from '../../../encoder-task/text/cue-collector.ts';
import { captionLimits } from '../../../shared/captions/caption-limits.ts';

function collect(texts: TimedText[], originSeconds = 0, durationSeconds = 60) {
  const collector = createCueCollector({ originSeconds, durationSeconds });
  for (const text of texts) collector.add(text);
  return collector.finish();
}
const timed = (startSeconds: number, durationSeconds: number | null, text = 'text'): TimedText => ({
  startSeconds,
  durationSeconds,
  text,
});
const cue = (startMs: number, endMs: number, text = 'text') => ({ startMs, endMs, settings: '', text });

test('times are on the output clock, in order', () => {
  expect(collect([timed(12.3456, 2), timed(11, 1)], 10)).toEqual({ cues: [cue(1000, 2000), cue(2346, 4346)] });
});

test('what is not shown during the output is left out', () => {
  const texts = [timed(1, 2), timed(9, 2, 'begins before'), timed(69, 5, 'ends after'), timed(70, 1)];
  expect(collect(texts, 10)).toEqual({ cues: [cue(0, 1000, 'begins before'), cue(59000, 60000, 'ends after')] });
});

test('without a duration a text is shown until the next one, the last until the end', () => {
  expect(collect([timed(1, null, 'a'), timed(1, null, 'b'), timed(5, null, 'c')])).toEqual({
    cues: [cue(1000, 5000, 'a'), cue(1000, 5000, 'b'), cue(5000, 60000, 'c')],
  });
});

test('a repeated cue is kept once', () => {
  expect(collect([timed(1, 1), timed(1, 1), timed(1, 1, 'other')])).toEqual({
    cues: [cue(1000, 2000), cue(1000, 2000, 'other')],
  });
});

test('a track beyond the limits fails with a sentence, and needs no more memory', () => {
  const collector = createCueCollector({ originSeconds: 0, durationSeconds: 1e6 });
  for (let n = 0; n < 1_000_000 && !collector.hasFailed(); n++) collector.add(timed(n / 100, 0.01, `${n}`));
  expect(collector.hasFailed()).toBe(true);
  collector.add(timed(1, 1));
  expect(collector.finish()).toEqual({ error: expect.stringMatching(/^The text track (has more|is larger) .*\.$/) });
  const long = 'x'.repeat(60_000);
  expect(collect(Array.from({ length: captionLimits.maxFileBytes / 60_000 + 1 }, (_, n) => timed(n, 1, long)))).toEqual(
    {
      error: 'The text track is larger than 2 MiB. Upload a smaller WebVTT or SubRip file.',
    },
  );
});

test('a track without a readable text says why', () => {
  expect(collect([timed(1, 1, '')])).toEqual({ error: expect.stringContaining('no text') });
  const damaged = createCueCollector({ originSeconds: 0, durationSeconds: 1 });
  damaged.addDamaged();
  expect(damaged.finish()).toEqual({ error: expect.stringContaining('damaged') });
});
