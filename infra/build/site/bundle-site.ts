import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { buildSite } from './build-site.ts';

/** Builds the site and puts its files beside the bundles of the functions that serve them. */
export async function bundleSite(folder: string): Promise<void> {
  const [site, embed] = ['dashboard/site', 'embed'].map((path) => join(folder, 'functions/api', path)) as [
    string,
    string,
  ];
  const { pages } = await buildSite(site);
  await mkdir(embed, { recursive: true });
  await copyFile(join(site, pages.embed!.file), join(embed, 'player.html'));
}
