type CodeBoxProps = { label: string; code: string };

/** A box of code that can be scrolled with the keyboard. */
export const CodeBox = ({ label, code }: CodeBoxProps) => (
  <figure class="code-box" aria-label={label}>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
    <pre tabIndex={0}>
      <code>{code}</code>
    </pre>
  </figure>
);
