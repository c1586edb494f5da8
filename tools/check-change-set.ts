// aws cloudformation describe-change-set … | npm run check-change-set
// Exits with 1 when the change set removes or may replace a resource that holds data.
import { json } from 'node:stream/consumers';
import { statefulChanges } from './stateful-changes.ts';

const changes = statefulChanges(await json(process.stdin));
for (const change of changes) console.error(change);
if (changes.length > 0) {
  console.error('Move the data first ("Restore" in docs/recovery.md), or execute the change set by hand.');
  process.exitCode = 1;
}
