import { expect, test } from 'vitest';
import { domainsOf, embedCode } from '../../../dashboard/video/iframe-code.ts';

test('the name of a video cannot leave its attribute', () => {
  const code = embedCode({ url: 'https://v.example.com/embed/1?token=a&b', title: '"><script>', aspectRatio: null });
  expect(code).toContain('title="&#34;&#62;&#60;script&#62;"');
  expect(code).toContain('src="https://v.example.com/embed/1?token=a&#38;b"');
});

test('the frame has the aspect ratio of the video', () => {
  expect(embedCode({ url: '', title: '', aspectRatio: '9:16' })).toContain('aspect-ratio: 9 / 16');
  expect(embedCode({ url: '', title: '', aspectRatio: null })).toContain('aspect-ratio: 16 / 9');
});

test('domains are separated by commas, spaces or lines', () => {
  expect(domainsOf(' example.com, *.example.org\n\nb.example ')).toEqual(['example.com', '*.example.org', 'b.example']);
  expect(domainsOf('  ')).toEqual([]);
});
