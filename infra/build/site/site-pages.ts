/**
 * A page: its HTML file in `dashboard/` names one script, from which the build finds everything else. `first` is a
 * module that the script imports later, but in most cases at once: the browser loads it together with the script.
 */
export type SitePage = { name: string; html: string; first?: string };

/** The pages of the site. The function `dashboard` decides which paths show which page. */
export const sitePages: readonly SitePage[] = [
  { name: 'app', html: 'index.html', first: 'videos/videos-page.tsx' },
  { name: 'docs', html: 'docs/index.html' },
  { name: 'docs-viewer', html: 'docs/viewer.html' },
  // The function `embed` fills it.
  { name: 'embed', html: 'embed/index.html' },
];
