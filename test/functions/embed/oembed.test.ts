import { expect, test } from 'vitest';
import { frameHtml, frameSize } from '../../../functions/embed/oembed.ts';

test.each([
  ['16:9', undefined, undefined, 640, 360],
  ['9:16', undefined, undefined, 360, 640],
  ['4:3', 320, undefined, 320, 240],
  ['16:9', 1920, undefined, 1920, 1080],
  ['16:9', undefined, 180, 320, 180],
  ['16:9', 1000, 90, 160, 90],
  ['16:9', 160, 1000, 160, 90],
  ['21:9', 1, 1, 1, 1],
  [null, undefined, undefined, 640, 360],
])('a frame of %s within %s × %s is %d × %d', (ratio, maxWidth, maxHeight, width, height) => {
  expect(frameSize(ratio, { maxWidth, maxHeight })).toEqual({ width, height });
});

test('the name of a video stays text in the embed code', () => {
  const html = frameHtml({
    url: 'https://a.example/embed/1?token=a&b',
    title: '"><img src=x onerror=alert(1)>',
    width: 1,
    height: 2,
  });
  expect(html).toContain('src="https://a.example/embed/1?token=a&#38;b"');
  expect(html).toContain('title="&#34;&#62;&#60;img src=x onerror=alert(1)&#62;"');
  expect(html.match(/</g)).toHaveLength(2);
});
