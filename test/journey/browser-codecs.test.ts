import { inject } from 'vitest';
import { testMenus } from './support/use-codecs.ts';

// One codec that no other journey plays. test/long/playback/browser-codecs.test.ts has all of them.
testMenus(['vp9'], async () => inject('clip').file);
