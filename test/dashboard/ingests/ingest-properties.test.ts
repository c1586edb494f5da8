import { expect, test } from 'vitest';
import {
  creationOf,
  hostOf,
  keyInOther,
  pollSecondsOf,
  storageCreationOf,
} from '../../../dashboard/ingests/ingest-properties.ts';

test('the host has its port', () => {
  expect(hostOf('https://media.example.com/films/holiday.mov')).toBe('media.example.com');
  expect(hostOf('http://127.0.0.1:8000/a.mp4')).toBe('127.0.0.1:8000');
  expect(hostOf('not a URL')).toBe('not a URL');
});

test('open ingests are loaded often', () => {
  expect(pollSecondsOf([{ status: 'stored' }, { status: 'pending' }])).toBe(2);
  expect(pollSecondsOf([{ status: 'stored' }, { status: 'failed' }])).toBe(10);
});

test('an empty file name is left to the service', () => {
  const form = { url: ' https://media.example.com/a.mov ', filename: ' ', template: 'T' };
  expect(creationOf(form)).toEqual({ url: 'https://media.example.com/a.mov', metadata: { template: 'T' } });
  expect(creationOf({ ...form, filename: 'b.mov' }).filename).toBe('b.mov');
});

test('a key is sent as it was typed', () => {
  const form = { storage: 'S', key: 'videos/a b .mov ', filename: ' ', template: 'T' };
  expect(storageCreationOf(form)).toEqual({ storage: 'S', key: 'videos/a b .mov ', metadata: { template: 'T' } });
  expect(storageCreationOf({ ...form, filename: ' b.mov' }).filename).toBe('b.mov');
});

test('another storage replaces the prefix of the key', () => {
  expect(keyInOther('videos/a.mov', { prefix: 'videos/' }, { prefix: 'films/' })).toBe('films/a.mov');
  expect(keyInOther('other/a.mov', { prefix: 'videos/' }, { prefix: 'films/' })).toBe('other/a.mov');
});
