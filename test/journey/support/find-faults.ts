import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Frame, Page } from 'playwright-core';

const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
let axe: Promise<string> | undefined;

/** `preload`: style sheets are loaded for rules that read them. `iframes`: the documents in frames are included. */
type AxeOptions = { preload?: boolean; iframes?: boolean };

/** The rules of axe-core that a document breaks as it is now, with the elements. */
export async function findFaults(
  document: Page | Frame,
  { preload = false, iframes = false }: AxeOptions = {},
): Promise<string[]> {
  axe ??= readFile(axeFile, 'utf8');
  // An evaluation is not subject to the policy of the page. A preload of style sheets is.
  await document.evaluate(await axe);
  return document.evaluate<string[]>(
    `axe.run(document, ${JSON.stringify({ preload, iframes })}).then(({ violations }) => ` +
      "violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 200))))",
  );
}

/** Collects what a page must never report: errors of its scripts, and what its policy blocks. */
export function collectErrors(page: Page): string[] {
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(`${message.text()} ${message.location().url}`);
  });
  return errors;
}
