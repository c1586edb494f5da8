import { expect, test } from 'vitest';
import { shortcutOf } from '../../../../dashboard/video/caption-editor/shortcuts.ts';

const none = { code: '', altKey: false, ctrlKey: false, metaKey: false, shiftKey: false };

test.each([
  ['Alt+I', { key: 'i', altKey: true }, 'start'],
  ['Ctrl+S', { key: 's', ctrlKey: true }, 'save'],
  ['Command+S of a Mac', { key: 's', metaKey: true }, 'save'],
  ['Alt+S', { key: 's', altKey: true }, 'split'],
  ['Option+S of a Mac, which writes ß', { key: 'ß', code: 'KeyS', altKey: true }, 'split'],
  ['Alt+↓', { key: 'ArrowDown', code: 'ArrowDown', altKey: true }, 'next'],
  ['Alt+Y of a German keyboard, where an English one has Z', { key: 'y', code: 'KeyZ', altKey: true }, undefined],
  ['AltGr+S', { key: 's', altKey: true, ctrlKey: true }, undefined],
  ['s', { key: 's' }, undefined],
  ['Alt+Shift+S', { key: 'S', altKey: true, shiftKey: true }, undefined],
])('%s', (_, keys, shortcut) => {
  expect(shortcutOf({ ...none, ...keys })).toBe(shortcut);
});
