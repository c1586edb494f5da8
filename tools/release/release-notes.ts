import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Prints the notes of a release: its section of the changelog. `node tools/release/release-notes.ts TAG`
 * It fails when the tag is not the version of every package, or the changelog has no section for it.
 */

const repository = join(import.meta.dirname, '../..');
const packages = ['.', 'client', 'dashboard', 'embedded-aws'];

/** The text below the heading of a version, without the heading; undefined when there is none. */
export function sectionOf(changelog: string, version: string): string | undefined {
  const heading = `## [${version}]`;
  const [, ...sections] = changelog.split(/^(?=## )/m);
  const section = sections.find((one) => one.startsWith(heading));
  return section?.slice(section.indexOf('\n')).trim();
}

export async function releaseNotes(tag: string, folder = repository): Promise<string> {
  const version = tag.replace(/^v/, '');
  for (const path of packages) {
    const file = join(path, 'package.json');
    const found = JSON.parse(await readFile(join(folder, file), 'utf8')).version;
    if (found !== version) throw new Error(`The tag is ${tag}, but ${file} has the version ${found}.`);
  }
  const notes = sectionOf(await readFile(join(folder, 'CHANGELOG.md'), 'utf8'), version);
  if (notes === undefined) throw new Error(`CHANGELOG.md has no section for ${version}. Name its entries so.`);
  return notes;
}

if (import.meta.main) {
  const [tag] = process.argv.slice(2);
  if (tag === undefined) throw new Error('Pass the tag of the release, such as v0.2.0.');
  console.log(await releaseNotes(tag));
}
