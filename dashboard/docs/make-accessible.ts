type Fix = readonly [selector: string, attribute: string, value: string | null | ((element: Element) => string)];

const heading = (selector: string, level: number): Fix[] => [
  [selector, 'aria-level', String(level)],
  [selector, 'role', 'heading'],
];

const region = (selector: string, name: string): Fix[] => [
  [selector, 'role', 'region'],
  [selector, 'aria-label', name],
];

const parameterName = (element: Element): string =>
  element.closest('[data-param-name]')?.getAttribute('data-param-name') ?? 'Value';

/** What the markup of Swagger UI lacks for assistive technology. Null removes an attribute. */
const fixes: readonly Fix[] = [
  ['.close-modal', 'aria-label', 'Close'],
  ['textarea.body-param__text', 'aria-label', 'Request body'],
  ['[data-param-name] :is(input, select, textarea)', 'aria-label', parameterName],
  ['.auth-container input', 'aria-label', 'API token'],
  ['.auth-container input', 'autocomplete', 'off'],
  // The name of a button must contain its text.
  ['.auth-btn-wrapper button', 'aria-label', null],
  ...heading('h3.opblock-tag', 2),
  ...heading('.dialog-ux .modal-ux-header h3', 2),
  ...heading('.opblock-section-header h4', 3),
  ...heading('.models > h4', 2),
  ...heading('.auth-container h4', 3),
  ...heading('.auth-container h6', 4),
  ...region('.information-container', 'About the API'),
  ...region('.scheme-container', 'Authorization'),
  ...region('.filter-container', 'Filter'),
  // The role hides that it is a table, and all tables of responses have the same name.
  ['table.responses-table', 'role', null],
  // It does what the summary beside it does.
  ['.opblock-control-arrow', 'aria-hidden', 'true'],
  ['.opblock-control-arrow', 'tabindex', '-1'],
  // Code is scrolled by keyboard.
  ['pre', 'tabindex', '0'],
];

/** Applies the fixes now and after each change of the page. */
export function makeAccessible(root: Element): void {
  const apply = () => {
    for (const [selector, attribute, fix] of fixes) {
      for (const element of root.querySelectorAll(selector)) {
        const value = typeof fix === 'function' ? fix(element) : fix;
        if (element.getAttribute(attribute) === value) continue;
        if (value === null) element.removeAttribute(attribute);
        else element.setAttribute(attribute, value);
      }
    }
  };
  new MutationObserver(apply).observe(root, { childList: true, subtree: true });
  apply();
}
