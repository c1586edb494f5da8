import type { ComponentChildren } from 'preact';

type TableBoxProps = { label: string; children: ComponentChildren };

/** A table that scrolls sideways within the page, also with the keyboard. */
export const TableBox = ({ label, children }: TableBoxProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
  <section class="table-box" aria-label={label} tabIndex={0}>
    <table class="table">{children}</table>
  </section>
);
