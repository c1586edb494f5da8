type Fix = readonly [selector: string, attribute: string, value: string | null];

/** What the markup of Swagger UI lacks for assistive technology. Null removes an attribute. */
const fixes: readonly Fix[] = [
  ['select#servers', 'aria-label', 'Server'],
  ['.close-modal', 'aria-label', 'Close'],
  // The name of a button must contain its text.
  ['.auth-btn-wrapper button', 'aria-label', null],
  ['h3.opblock-tag', 'aria-level', '2'],
  ['h3.opblock-tag', 'role', 'heading'],
  ['.dialog-ux .modal-ux-header h3', 'aria-level', '2'],
  ['.dialog-ux .modal-ux-header h3', 'role', 'heading'],
  ['.opblock-section-header h4', 'aria-level', '3'],
  ['.opblock-section-header h4', 'role', 'heading'],
];

/** Applies the fixes now and after each change of the page. */
export function makeAccessible(root: Element): void {
  const apply = () => {
    for (const [selector, attribute, value] of fixes) {
      for (const element of root.querySelectorAll(selector)) {
        if (element.getAttribute(attribute) === value) continue;
        if (value === null) element.removeAttribute(attribute);
        else element.setAttribute(attribute, value);
      }
    }
  };
  new MutationObserver(apply).observe(root, { childList: true, subtree: true });
  apply();
}
