import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { parseCaptions, parseCaptionText } from '../../../shared/captions/parse-captions.ts';
import { serializeWebVtt } from '../../../shared/captions/web-vtt.ts';

const normalized = (text: string, format: 'vtt' | 'srt' = 'vtt') => serializeWebVtt(parseCaptionText(text, format));
const texts = (text: string, format: 'vtt' | 'srt' = 'vtt') => parseCaptionText(text, format).map((cue) => cue.text);
const cue = (text: string) => `WEBVTT\n\n00:01.000 --> 00:02.000\n${text}\n`;
const utf16 = (text: string, order: 'le' | 'be') => {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return order === 'le' ? bytes : bytes.swap16();
};

test('a WebVTT file keeps times, settings, tags and lines', () => {
  const file =
    'WEBVTT\n\n01:00:01.500 --> 01:00:02.000 line:0 align:start\n<v Ann>Hello &amp; <i.loud>welcome</i></v>\nsecond\n';
  expect(normalized(file)).toBe(file);
});

test('a SubRip file becomes WebVTT', () => {
  const file = '1\r\n00:00:01,5 --> 00:00:02,000 X1:1\r\n{\\an8}<font color="red">R&D</font> <I>a</I>\r\n\r\n2\r\n';
  expect(normalized(file, 'srt')).toBe('WEBVTT\n\n00:00:01.500 --> 00:00:02.000\nR&amp;D <i>a</i>\n');
});

describe('is read in', () => {
  const file = 'WEBVTT\n\n00:01.000 --> 00:02.000\nGrüße 😀\n';
  test.each([
    ['UTF-8', Buffer.from(file)],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${file}`)],
    ['UTF-16, little endian', utf16(file, 'le')],
    ['UTF-16, big endian', utf16(file, 'be')],
    ['lines that end with CR', Buffer.from(file.replaceAll('\n', '\r'))],
    ['lines that end with CR LF', Buffer.from(file.replaceAll('\n', '\r\n'))],
  ])('%s', (_, bytes) => {
    expect(parseCaptions(bytes, 'vtt')).toEqual([{ startMs: 1000, endMs: 2000, settings: '', text: 'Grüße 😀' }]);
  });
});

describe('is repaired:', () => {
  test('a missing header, whatever type was declared', () => {
    expect(texts('00:01.000 --> 00:02.000\na\n')).toEqual(['a']);
    expect(texts(cue('a & <c>b</c>'), 'srt')).toEqual(['a &amp; <c>b</c>']);
  });

  test('cues in wrong order; those that overlap stay', () => {
    expect(texts('WEBVTT\n\n00:03.000 --> 00:09.000\nb\n\n00:01.000 --> 00:04.000\na\n')).toEqual(['a', 'b']);
  });

  test('cues that end before they start, that have no text or no readable time', () => {
    const bad =
      '00:05.000 --> 00:04.000\nx\n\n00:01.000 --> 00:02.000\n\n1 --> 2\nx\n\n999:00:00.000 --> 999:00:01.000\nx';
    expect(texts(`${cue('a')}\n${bad}`)).toEqual(['a']);
  });

  test('missing empty lines between cues', () => {
    expect(texts('1\n00:00:01,000 --> 00:00:02,000\na\n2\n00:00:03,000 --> 00:00:04,000\nb', 'srt')).toEqual([
      'a',
      'b',
    ]);
  });

  test('notes, styles, regions and unknown settings', () => {
    const file = 'WEBVTT title\nKind: captions\n\nSTYLE\n::cue { color: red }\n\nNOTE a\n\nREGION\nid:r\n\n';
    const timing = '00:01.000 --> 00:02.000 region:r line:-1 onload:x align:middle size:50%';
    expect(normalized(`${file}id\n${timing}\na\n`)).toBe(
      'WEBVTT\n\n00:00:01.000 --> 00:00:02.000 line:-1 align:center size:50%\na\n',
    );
  });

  test.each([
    ['<script>alert(1)</script>', 'alert(1)'],
    ['<img src=x onerror=alert(1)>a', 'a'],
    ['1 < 2 > 0 & more', '1 &lt; 2 &gt; 0 &amp; more'],
    ['<<<b>', '&lt;&lt;<b>'],
    ['<v a-->b', 'b'],
    ['<c onclick="alert(1)">b</c>', '<c>b</c>'],
    ['<i.loud x=y>b</i>', '<i.loud>b</i>'],
    ['<v Ann onclick="x">b', '<v Ann onclickx>b'],
    ['a\u0000\u001b[0mb', 'a[0mb'],
    ['#EXT-X-ENDLIST', '#EXT-X-ENDLIST'],
    ['&lt;b&gt; &unknown &#60;', '&lt;b&gt; &amp;unknown &#60;'],
  ])('text %j', (text, expected) => {
    expect(texts(cue(text))).toEqual([expected]);
  });
});

describe('is refused with a sentence:', () => {
  test.each([
    ['no cue', Buffer.from('WEBVTT\n'), /no cue/],
    ['only arrows', Buffer.from('-->'.repeat(700_000)), /no cue/],
    ['arrows in lines', Buffer.from('-->\n'.repeat(500_000)), /no cue/],
    ['Latin-1', Buffer.from([...Buffer.from(cue('a')), 0xe4]), /save it as UTF-8/],
    ['an odd number of bytes of UTF-16', Buffer.from([0xff, 0xfe, 0x41]), /UTF-16LE/],
    ['too many cues', Buffer.from('0:1-->0:2\na\n'.repeat(100_001)), /more than 100000 cues/],
  ])('%s', (_, bytes, message) => {
    expect(() => parseCaptions(bytes, 'srt')).toThrow(message);
  });
});

/** They take less than half a second on a quiet machine. Quadratic time would be hours. */
const longestMs = 60_000;

test.each([
  ['opening brackets', '<'],
  ['opened tags', '<a'],
  ['tags in one cue', '<b>'],
  ['ampersands', '&a'],
  ['overrides', '{\\'],
  ['spaces', ' '],
  ['dots', '<c.'],
])(
  '2 MiB of %s take time in proportion to their length',
  (_, part) => {
    const text = cue(`x${part.repeat(2 ** 21 / part.length)}`);
    // A timer could not end a loop that never waits.
    const parse = () =>
      runInNewContext('parse()', { parse: () => parseCaptionText(text, 'vtt') }, { timeout: longestMs });
    expect(parse).not.toThrow();
  },
  2 * longestMs,
);

test('80,000 cues are read and written', () => {
  const cues = Array.from({ length: 80_000 }, (_, index) => ({
    startMs: index * 100,
    endMs: index * 100 + 90,
    settings: '',
    text: 'a',
  }));
  expect(parseCaptionText(serializeWebVtt(cues), 'vtt')).toEqual(cues);
});

test('the normalized file is read back as it is', () => {
  const once = normalized(cue('<v.x A & B>1 <00:00:01.500>2 --> &lrm;3</v>\n   \nb'));
  expect(normalized(once)).toBe(once);
});
