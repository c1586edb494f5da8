import { expect, test } from 'vitest';
import { reportUrl, withMore } from '../../../dashboard/player/cmcd-query.ts';
import { readCmcd } from '../../../functions/views/cmcd.ts';

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

test('the end of a playback with an error names it and what was not said yet, without the rest of the query', () => {
  const ended = reportUrl(`${path}?name=film.mp4`, { sessionId: 'a', contentId: 'x', waitedMs: [], code: 1001 });
  expect(ended.startsWith(`${path}?CMCD=`)).toBe(true);
  expect(saidIn(ended)).toBe('cid="x",ec=("1001"),sid="a",sta=f,v=2');
  const waited = reportUrl(path, { sessionId: 'a', contentId: 'x', waitedMs: [3000], code: 1001 });
  expect(saidIn(waited)).toBe('bs,bsd=(3000),cid="x",ec=("1001"),sid="a",sta=f,v=2');
});

test('what a playback without an error has waited is read by the service as the sum of its periods', () => {
  const uri = reportUrl(path, { sessionId: 'a', contentId: 'x', waitedMs: [3012, 450] });
  expect(saidIn(uri)).toBe('bs,bsd=(3012 450),cid="x",sid="a",v=2');
  expect(readCmcd(uri.slice(uri.indexOf('CMCD=') + 'CMCD='.length))).toEqual({
    version: 2,
    sessionId: 'a',
    isStarved: true,
    stalledMilliseconds: 3462,
  });
});
