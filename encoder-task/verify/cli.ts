// npm run check:media -- FOLDER|FILE|URL …
// Says what is wrong with finished HLS, DASH, MP4 and thumbnails; ends with 1 when there is anything.

import { checkMedia } from './check-media.ts';

const locations = process.argv.slice(2);
if (locations.length === 0) throw new Error('Name a folder, a file or a URL.');

for (const location of locations) {
  const { entries, problems } = await checkMedia(location);
  for (const problem of problems) console.log(problem);
  console.log(`${location}: ${entries} checked, ${problems.length} problems`);
  if (problems.length > 0 || entries === 0) process.exitCode = 1;
}
