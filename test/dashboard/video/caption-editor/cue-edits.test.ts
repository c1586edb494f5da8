import { describe, expect, test } from 'vitest';
import {
  add,
  beginEdits,
  change,
  cueAt,
  type Edits,
  merge,
  parseTime,
  remove,
  select,
  settle,
  split,
  step,
  storedText,
  undo,
  writtenText,
} from '../../../../dashboard/video/caption-editor/cue-edits.ts';

const cue = (startMs: number, endMs: number, text: string, settings = '') => ({ startMs, endMs, text, settings });
const begun = beginEdits([cue(0, 1000, 'One'), cue(1000, 3000, 'Two and three', 'line:0'), cue(5000, 6000, 'Four')]);

/** Start, end and text of all cues. */
const shown = ({ cues }: Edits) => cues.map(({ startMs, endMs, text }) => [startMs, endMs, text]);
const textsOf = ({ cues }: Edits) => cues.map(({ text }) => text);
const selected = (edits: Edits) => edits.cues.find(({ id }) => id === edits.selectedId);

test.each([
  ['00:00:01.500', 1500],
  ['1:02:03.5', 3_723_500],
  ['2:03,25', 123_250],
  [' 3.5 ', 3500],
  ['100:00:00', 360_000_000],
  ['', Number.NaN],
  ['soon', Number.NaN],
  ['-1', Number.NaN],
  ['0:01 --> 0:02', Number.NaN],
])('the time %j is %d ms', (typed, ms) => {
  expect(parseTime(typed)).toBe(ms);
});

test.each([
  ['Tom &amp; Jerry', 'Tom & Jerry'],
  ['1 &lt; 2 &gt; 0', '1 < 2 > 0'],
  ['<v Anna>Hello</v> <i>you</i>', '<v Anna>Hello</v> <i>you</i>'],
  ['&lt;i&gt;', '&lt;i&gt;'],
  ['&amp;lt;', '&amp;lt;'],
])('the text %j is written %j, and stored as it was', (stored, written) => {
  expect(writtenText(stored)).toBe(written);
  expect(storedText(written)).toBe(stored);
});

test('markup of HTML does not become a tag, and no text ends a cue', () => {
  expect(storedText('<img src=x onerror=alert(1)>Hello<script>alert(2)</script>')).toBe('Helloalert(2)');
  expect(storedText('One\n\n \n\nTwo')).toBe('One\nTwo');
  expect(storedText('00:01.000 --> 00:02.000')).toBe('00:01.000 --&gt; 00:02.000');
});

describe('selection', () => {
  test('begins at the first cue and stays within the cues', () => {
    expect(selected(begun)?.text).toBe('One');
    expect(selected(step(begun, 1))?.text).toBe('Two and three');
    expect(selected(step(begun, 99))?.text).toBe('Four');
    expect(selected(step(begun, -1))?.text).toBe('One');
    expect(step(beginEdits([]), 1).selectedId).toBeUndefined();
  });
});

describe('split', () => {
  const second = select(begun, 1);

  test('at a place of the text, in proportion to it', () => {
    expect(shown(split(second, { offset: 'Two'.length })).slice(1, 3)).toEqual([
      [1000, 1462, 'Two'],
      [1462, 3000, 'and three'],
    ]);
  });

  test('at the time of the player, at the white space that is nearest to it', () => {
    expect(shown(split(second, { timeMs: 2200 })).slice(1, 3)).toEqual([
      [1000, 2200, 'Two and'],
      [2200, 3000, 'three'],
    ]);
  });

  test('in the middle when the cursor is at an end and the player elsewhere', () => {
    const divided = split(second, { offset: 0, timeMs: 9000 });
    expect(textsOf(divided)).toEqual(['One', 'Two and', 'three', 'Four']);
    expect(divided.cues[2]).toMatchObject({ endMs: 3000, settings: 'line:0' });
  });

  test.each([
    ['<i>Hello you</i>', '<i>Hello'.length, ['<i>Hello</i>', '<i>you</i>']],
    ['<v Anna>Hello you', '<v Anna>Hello'.length, ['<v Anna>Hello', '<v Anna>you']],
    ['<i><b>Hello</b> you</i>', '<i><b>Hello</b>'.length, ['<i><b>Hello</b></i>', '<i>you</i>']],
    ['Hello <i>you</i>', 'Hello <'.length, ['Hello <i></i>', '<i>you</i>']],
  ])('the tags of %j go on in both parts', (text, offset, parts) => {
    const [first, rest] = textsOf(split(beginEdits([cue(0, 1000, text)]), { offset }));
    expect([first, rest]).toEqual(parts);
  });

  test('one word leaves the second part to be written', () => {
    expect(shown(split(begun, {}))).toEqual([[0, 900, 'One'], [900, 1000, ''], ...shown(begun).slice(1)]);
  });
});

test('a merge has the times and texts of both, and the last cue has no next one', () => {
  expect(shown(merge(begun))).toEqual([
    [0, 3000, 'One\nTwo and three'],
    [5000, 6000, 'Four'],
  ]);
  expect(merge(select(begun, 2))).toEqual(select(begun, 2));
});

test('a merge of split parts has the words and times of before', () => {
  const divided = split(select(begun, 1), { offset: 3 });
  expect(shown(merge(divided))[1]).toEqual([1000, 3000, 'Two\nand three']);
});

describe('a new cue', () => {
  test('begins at the time, lasts until the next one, and is selected', () => {
    const added = add(begun, 4000);
    expect(shown(added)[2]).toEqual([4000, 5000, '']);
    expect(selected(added)).toMatchObject({ startMs: 4000 });
  });

  test('is behind the cue of the time, or behind the selected one', () => {
    expect(shown(add(begun, 2000))[2]).toEqual([3000, 5000, '']);
    expect(shown(add(select(begun, 2)))[3]).toEqual([6000, 8000, '']);
    expect(shown(add(beginEdits([])))).toEqual([[0, 2000, '']]);
  });
});

test('after a deletion the next cue is selected, or the one before', () => {
  expect(selected(remove(begun))?.text).toBe('Two and three');
  expect(selected(remove(select(begun, 2)))?.text).toBe('Two and three');
  expect(remove(remove(remove(begun)))).toMatchObject({ cues: [], selectedId: undefined });
  expect(remove(beginEdits([])).cues).toEqual([]);
});

test('a cue moves when its start is typed, not while it is', () => {
  const typed = change(begun, { startMs: 4000 });
  expect(textsOf(typed)).toEqual(['One', 'Two and three', 'Four']);
  expect(textsOf(settle(typed))).toEqual(['Two and three', 'One', 'Four']);
  expect(selected(settle(typed))?.text).toBe('One');
  expect(settle(change(begun, { startMs: Number.NaN })).cues).toHaveLength(3);
  expect(settle(begun)).toBe(begun);
});

test('typing in a field is undone at once, and each other change by itself', () => {
  let edits = begun;
  for (const text of ['H', 'He', 'Her']) edits = change(edits, { text });
  edits = change(edits, { endMs: 900 });
  edits = remove(edits);
  const back = [undo(edits), undo(undo(edits)), undo(undo(undo(edits)))];
  expect(back.map((one) => shown(one)[0])).toEqual([
    [0, 900, 'Her'],
    [0, 1000, 'Her'],
    [0, 1000, 'One'],
  ]);
  expect(back[2]!.cues).toBe(begun.cues);
  expect(undo(begun)).toBe(begun);
});

test('the cue of a time is the one that began last', () => {
  const { cues } = beginEdits([cue(0, 9000, 'Long'), cue(1000, 2000, 'a'), cue(1500, 1800, 'b')]);
  expect([-1, 0, 1000, 1600, 1900, 5000, 9000].map((time) => cueAt(cues, time))).toEqual([-1, 0, 1, 2, 1, 0, -1]);
});

test('a change of one of 100,000 cues keeps the others as they are', () => {
  const many = beginEdits(Array.from({ length: 100_000 }, (_, index) => cue(index * 1000, index * 1000 + 900, 'x')));
  const edits = change(select(many, 50_000), { text: 'y' });
  expect(edits.cues[50_000]?.text).toBe('y');
  expect(edits.cues[49_999]).toBe(many.cues[49_999]);
  expect(cueAt(edits.cues, 50_000_100)).toBe(50_000);
});
