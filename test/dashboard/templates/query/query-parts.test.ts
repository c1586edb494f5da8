import { expect, test } from 'vitest';
import { partText, setPart } from '../../../../dashboard/templates/query/query-parts.ts';

const query = { outputs: [], picture: { rotate: 90, crop: { top: '10%', left: 8 } }, watermark: { image: 'U' } };

test('keys are shown as texts, also of an object within the part', () => {
  expect(partText(query, 'picture', 'rotate')).toBe('90');
  expect(partText(query, 'picture', 'crop.left')).toBe('8');
  expect(partText(query, 'picture', 'crop.right')).toBe('');
  expect(partText(query, 'picture', 'flip')).toBe('');
  expect(partText({ picture: 'odd' }, 'picture', 'flip')).toBe('');
});

test('a key is set and removed, and everything else is kept', () => {
  expect(setPart(query, 'picture', 'flip', 'vertical').picture).toEqual({ ...query.picture, flip: 'vertical' });
  expect(setPart(query, 'picture', 'crop.top', '').picture).toEqual({ rotate: 90, crop: { left: 8 } });
  expect(setPart({}, 'picture', 'crop.top', '12')).toEqual({ picture: { crop: { top: 12 } } });
  expect(setPart(query, 'watermark', 'opacity', '0.5').watermark).toEqual({ image: 'U', opacity: 0.5 });
});

test('what is empty then is removed, and a watermark without its image', () => {
  const cropped = { picture: { crop: { top: 1 } } };
  expect(setPart(cropped, 'picture', 'crop.top', '')).toEqual({});
  expect(setPart({ watermark: { image: 'U', width: '5%' } }, 'watermark', 'image', '')).toEqual({});
});
