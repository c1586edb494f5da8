import { expect, test } from 'vitest';
import { contentDisposition, downloadName } from '../../../delivery/urls/download-name.ts';

const path = '/s/k1.1.s.sig/videos/V/r1/video.mp4';

test.each([
  ['holiday.mov', 'holiday.mp4'],
  ['h ü.mp4', 'h%20%C3%BC.mp4'],
  ['a+b&c=d%20', 'a%2Bb%26c%3Dd%2520.mp4'],
  ['../../x', '..-..-x.mp4'],
  ['"; filename=x', '%22%3B%20filename%3Dx.mp4'],
  ["it's (1)*", 'it%27s%20%281%29%2A.mp4'],
  ['a\r\nSet-Cookie: x', 'a--Set-Cookie%3A%20x.mp4'],
  ['🎬'.repeat(200), `${'%F0%9F%8E%AC'.repeat(100)}.mp4`],
  ['\ud800', '%EF%BF%BD.mp4'],
  ['.mp4', 'video.mp4'],
])('the name %j is downloaded as %s', (name, encoded) => {
  expect(downloadName(name, '.mp4')).toBe(encoded);
  expect(contentDisposition(`${path}?name=${encoded}&download=1`)).toBe(
    `attachment; filename="${encoded}"; filename*=UTF-8''${encoded}`,
  );
});

test.each([
  `${path}?name=a.mp4`,
  `${path}?download=1`,
  `${path}?name=&download=1`,
  `${path}?name=a.mp4&download=0`,
  `${path}?name=a.mp4&download=1&x=y`,
  `${path}?name=a"b&download=1`,
  `${path}?name=a%0d%0ab&download=1`,
  `${path}?name=a%0D%0Ab&download=1`,
  `${path}?name=a%&download=1`,
  '/s/k1.1.s.sig/videos/V/1/master.m3u8?name=a.mp4&download=1',
])('%s is not a download', (target) => {
  expect(contentDisposition(target)).toBeUndefined();
});
