import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';

type ActionMenuProps = {
  /** What the menu is for, such as "Actions for holiday.mp4". */
  label: string;
  /** Buttons and links. */
  children: ComponentChildren;
};

/** A button with three dots that opens actions above the page. Escape, a click elsewhere and an action close them. */
export function ActionMenu({ label, children }: ActionMenuProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const items = useRef<HTMLDivElement>(null);
  // The list is in the top layer, where it is not cut off by the row that it belongs to.
  const move = (): void => {
    const { top, bottom, right } = button.current!.getBoundingClientRect();
    const { style, offsetHeight } = items.current!;
    const isAbove = bottom + offsetHeight > innerHeight && top > offsetHeight;
    style.top = `${scrollY + (isAbove ? top - offsetHeight : bottom)}px`;
    style.right = `${document.documentElement.clientWidth - right}px`;
  };
  return (
    <div class="action-menu">
      <button ref={button} type="button" class="button button-quiet" popovertarget={id} aria-label={label}>
        <svg viewBox="0 0 16 4" width="16" height="4" fill="currentColor" aria-hidden="true">
          <circle cx="2" cy="2" r="1.6" />
          <circle cx="8" cy="2" r="1.6" />
          <circle cx="14" cy="2" r="1.6" />
        </svg>
      </button>
      {/* biome-ignore lint/a11y: its buttons are what is clicked, by the keyboard too */}
      <div ref={items} id={id} popover="auto" onToggle={move} onClick={() => items.current?.hidePopover()}>
        {children}
      </div>
    </div>
  );
}
