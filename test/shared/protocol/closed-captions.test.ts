import { expect, test } from 'vitest';
import { keepsClosedCaptions } from '../../../shared/protocol/closed-captions.ts';

test('closed captions stay in H.264 of which every frame is one of the source', () => {
  const keeps = (mode: 'passthrough' | 'grid', codec: 'h264' | 'hevc', closedCaptions = true): boolean =>
    keepsClosedCaptions(closedCaptions ? { closedCaptions } : {}, { mode }, { codec });
  expect(keeps('passthrough', 'h264')).toBe(true);
  expect(keeps('grid', 'h264')).toBe(false);
  expect(keeps('passthrough', 'hevc')).toBe(false);
  expect(keeps('passthrough', 'h264', false)).toBe(false);
  const fields = { closedCaptions: true, deinterlace: 'double' } as const;
  expect(keepsClosedCaptions(fields, { mode: 'passthrough' }, { codec: 'h264' })).toBe(false);
});
