import { expect, test } from 'vitest';
import { packetText } from '../../../encoder-task/text/packet-text.ts';

test('SubRip keeps b, i and u, loses other HTML, and is escaped otherwise', () => {
  const text = '<b>Hello</b> <font color="red">red</font> <script>x</script> a < b & c{\\an8}\r\n\r\nline';
  expect(packetText('subrip', Buffer.from(text))).toBe('<b>Hello</b> red x a &lt; b &amp; c\nline');
});

test('WebVTT keeps its tags and references', () => {
  expect(packetText('webvtt', Buffer.from('<v Fred>Hi &amp; <c.loud>bye</c>'))).toBe(
    '<v Fred>Hi &amp; <c.loud>bye</c>',
  );
});

test('SubStation Alpha and 3GPP text are escaped once', () => {
  expect(packetText('ass', Buffer.from('0,0,Default,,0,0,0,,{\\i1}a & <b>{\\i0}'))).toBe('<i>a &amp; &lt;b&gt;</i>');
  expect(packetText('mov_text', Buffer.from('\0\u0005a & b', 'latin1'))).toBe('a &amp; b');
});

test('text that is not UTF-8 is damaged', () => {
  expect(() => packetText('subrip', Buffer.from([0x47, 0xfc, 0x6e]))).toThrow(TypeError);
});
