import { expect, test } from 'vitest';
import { endOfReport, withMore } from '../../../dashboard/player/cmcd-query.ts';

const path = 'https://edge.example/s/token/videos/x/1.m4s';
const said = 'br=(700),msd=900,ot=v,sid="a",v=2';
const url = `${path}?_HLS_msn=3&CMCD=${encodeURIComponent(said)}`;
const saidIn = (uri: string) => new URL(uri).searchParams.get('CMCD');

test('a URL says for how long playback waited, in the order of keys, and keeps the rest of its query', () => {
  const more = withMore(url, 3000, []);
  expect(saidIn(more)).toBe('br=(700),bs,bsd=(3000),msd=900,ot=v,sid="a",v=2');
  expect(new URL(more).searchParams.get('_HLS_msn')).toBe('3');
});

test('a key that was sent before is left out', () => {
  expect(saidIn(withMore(url, undefined, ['msd']))).toBe('br=(700),ot=v,sid="a",v=2');
});

test('a URL without more to say, or of a player that says nothing, stays as it is', () => {
  expect(withMore(url, undefined, [])).toBe(url);
  expect(withMore(path, 3000, ['msd'])).toBe(path);
});

test('the end of a playback with an error names it, without the rest of the query', () => {
  const ended = endOfReport(`${path}?name=film.mp4`, { sessionId: 'a', contentId: 'x', code: 1001 });
  expect(ended.startsWith(`${path}?CMCD=`)).toBe(true);
  expect(saidIn(ended)).toBe('cid="x",ec=("1001"),sid="a",sta=f,v=2');
});
