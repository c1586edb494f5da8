// npm run check:media -- FOLDER|FILE|URL …
// Prints the problems of finished HLS, DASH, MP4 and thumbnails. The exit code is 1 when there are any.

import { checkMedia } from './check-media.ts';

const locations = process.argv.slice(2);
if (locations.length === 0) throw new Error('Usage: npm run check:media -- FOLDER|FILE|URL …');

for (const location of locations) {
  const { entries, problems } = await checkMedia(location);
  for (const problem of problems) console.log(problem);
  console.log(`${location}: ${entries} checked, ${problems.length} problems`);
  if (problems.length > 0 || entries === 0) process.exitCode = 1;
}
