import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { formatCueTime } from '../../../shared/captions/web-vtt.ts';
import { text } from '../../messages/messages.ts';
import type { EditedCue } from './cue-edits.ts';
import { faultsOf } from './cue-faults.ts';

type CueListProps = {
  cues: readonly EditedCue[];
  /** -1 for none */
  selectedIndex: number;
  /** the one that the player shows, -1 for none */
  playingIndex: number;
  /** of the captions, for screen readers and fonts */
  language: string;
  onSelect(index: number): void;
  /** The user wants to write. */
  onOpen(): void;
};

/** The height of a row, which grows with the font size of the browser. */
const rowRem = 3.25;
/** Rows beyond the visible ones, so that a fast scroll shows no gaps. */
const spareRows = 6;
const rowId = ({ id }: EditedCue): string => `cue-${id}`;

const rowPixels = (): number => rowRem * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);

/** The cues, of which only those in view are in the document: a file may have 100,000. */
export function CueList({ cues, selectedIndex, playingIndex, language, onSelect, onOpen }: CueListProps) {
  const box = useRef<HTMLDivElement>(null);
  const [{ first, count }, setRange] = useState({ first: 0, count: 20 });
  const { editor: messages } = text.value.captions;
  const readRange = (): void => {
    const { scrollTop, clientHeight } = box.current!;
    const row = rowPixels();
    const top = Math.max(0, Math.floor(scrollTop / row) - spareRows);
    const rows = Math.ceil(clientHeight / row) + 2 * spareRows;
    setRange((before) => (before.first === top && before.count === rows ? before : { first: top, count: rows }));
  };
  useEffect(() => {
    const observer = new ResizeObserver(readRange);
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  const show = (index: number): void => {
    if (index === -1) return;
    const { scrollTop, clientHeight } = box.current!;
    const row = rowPixels();
    const [top, bottom] = [index * row, (index + 1) * row];
    if (top < scrollTop) box.current!.scrollTop = top;
    else if (bottom > scrollTop + clientHeight) box.current!.scrollTop = bottom - clientHeight;
  };
  useLayoutEffect(() => show(selectedIndex), [selectedIndex]);
  useLayoutEffect(() => show(playingIndex), [playingIndex]);

  const pageRows = Math.max(1, count - 2 * spareRows - 1);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const last = cues.length - 1;
    const target = {
      ArrowUp: selectedIndex - 1,
      ArrowDown: selectedIndex + 1,
      PageUp: selectedIndex - pageRows,
      PageDown: selectedIndex + pageRows,
      Home: 0,
      End: last,
    }[event.key];
    if (target !== undefined) onSelect(Math.min(last, Math.max(0, target)));
    else if (event.key === 'Enter') onOpen();
    else return;
    event.preventDefault();
  };
  const shown = cues.slice(first, first + count);
  const isSelectedShown = selectedIndex >= first && selectedIndex < first + count;
  return (
    <div
      ref={box}
      class="cue-list"
      role="listbox"
      tabIndex={0}
      aria-label={messages.list}
      aria-activedescendant={isSelectedShown ? rowId(cues[selectedIndex]!) : undefined}
      onKeyDown={onKeyDown}
      onScroll={readRange}
    >
      <div role="presentation" class="cue-rows" style={{ height: `${cues.length * rowRem}rem` }}>
        {shown.map((cue, offset) => {
          const index = first + offset;
          return (
            // The list has the focus and the keys.
            // biome-ignore lint/a11y/useKeyWithClickEvents: see above
            // biome-ignore lint/a11y/useFocusableInteractive: see above
            <div
              key={cue.id}
              id={rowId(cue)}
              role="option"
              class="cue-row"
              aria-selected={index === selectedIndex}
              aria-current={index === playingIndex ? 'time' : undefined}
              aria-setsize={cues.length}
              aria-posinset={index + 1}
              data-faulty={faultsOf(cue).length > 0}
              style={{ top: `${index * rowRem}rem`, height: `${rowRem}rem` }}
              onClick={() => onSelect(index)}
            >
              <span class="cue-times">
                {index + 1} · {shownTime(cue.startMs)} – {shownTime(cue.endMs)}
                {faultsOf(cue).length > 0 && <span class="visually-hidden"> {messages.faulty}</span>}
              </span>
              <span class="cue-text" lang={language} dir="auto">
                {cue.text.replace(/\s+/g, ' ')}
              </span>
            </div>
          );
        })}
      </div>
    </div>
  );
}

const shownTime = (ms: number): string => (Number.isNaN(ms) ? '?' : formatCueTime(ms));
