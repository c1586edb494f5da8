/** The keys of what the editor does. They work in every field, so each has a modifier. */
const keys = {
  save: 'Control+S',
  undo: 'Alt+Z',
  previous: 'Alt+ArrowUp',
  next: 'Alt+ArrowDown',
  play: 'Alt+P',
  jump: 'Alt+J',
  start: 'Alt+I',
  end: 'Alt+O',
  split: 'Alt+S',
  merge: 'Alt+M',
  add: 'Alt+N',
  remove: 'Alt+X',
} as const;

export type Shortcut = keyof typeof keys;

/** As `aria-keyshortcuts` has them. */
export const keysOf = (shortcut: Shortcut): string => keys[shortcut];

type Keys = Pick<KeyboardEvent, 'key' | 'code' | 'altKey' | 'ctrlKey' | 'metaKey' | 'shiftKey'>;

/** What keys mean, if anything. AltGr, which writes characters, is Control and Alt. */
export function shortcutOf({ key, code, altKey, ctrlKey, metaKey, shiftKey }: Keys): Shortcut | undefined {
  if (shiftKey) return undefined;
  // With Option, the keyboard of a Mac has other characters on its keys.
  const name = /^[a-z]$/i.test(key) ? key.toUpperCase() : key.startsWith('Arrow') ? key : code.replace(/^Key/, '');
  const modifier = altKey && !ctrlKey && !metaKey ? 'Alt' : !altKey && (ctrlKey || metaKey) ? 'Control' : undefined;
  return (Object.keys(keys) as Shortcut[]).find((shortcut) => keys[shortcut] === `${modifier}+${name}`);
}
