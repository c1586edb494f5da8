import { expect, test, vi } from 'vitest';

// The client of the pages is one of the page's own origin.
vi.stubGlobal('location', new URL('https://video.example.com'));
const { transcriptLines } = await import('../../../../dashboard/video/captions/transcript.tsx');

test('a transcript has the times of a player, and texts as they are', () => {
  const transcript = '[00:00:01.500] Guten [Morgen] <b>!\n[100:02:03.004] Ende\n';
  expect(transcriptLines(transcript)).toEqual([
    { time: '00:01', seconds: 1.5, words: 'Guten [Morgen] <b>!' },
    { time: '100:02:03', seconds: 360_123.004, words: 'Ende' },
  ]);
  expect(transcriptLines('')).toEqual([]);
});
