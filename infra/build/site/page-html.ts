const scriptTag = /<script type="module" src="([^"]+)"><\/script>/g;

/** The path of the only script that an HTML file names, as the file names it. */
export function scriptOf(html: string, file: string): string {
  const [found, ...others] = [...html.matchAll(scriptTag)];
  if (!found || others.length > 0) throw new Error(`${file} must have exactly one <script type="module" src="…">`);
  return found[1]!;
}

export type BuiltEntry = { script: string; styleSheet: string | undefined; preloads: readonly string[] };

/**
 * Moves the script of an HTML file to its head and names the built files there: style sheet, script, and all modules
 * that the script imports, so that the browser loads them at once instead of one after the other. `build` is what the
 * page compares with `/app.json`.
 */
export function pageHtml(html: string, { script, styleSheet, preloads }: BuiltEntry, build: string): string {
  const tags = [
    `<meta name="build" content="${build}">`,
    ...(styleSheet === undefined ? [] : [`<link rel="stylesheet" href="${styleSheet}">`]),
    `<script type="module" src="${script}"></script>`,
    ...preloads.map((path) => `<link rel="modulepreload" href="${path}">`),
  ];
  const parts = html.replace(scriptTag, '').split('</head>');
  if (parts.length !== 2) throw new Error('A page must have exactly one </head>');
  return parts.join(`${tags.map((tag) => `  ${tag}\n  `).join('')}</head>`);
}
