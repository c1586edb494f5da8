// Writes test/infra/stateful-resources.json anew, after a change that is meant.
// node test/infra/note-stateful.ts

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { statefulOfAll } from './stateful.ts';

writeFileSync(join(import.meta.dirname, 'stateful-resources.json'), `${JSON.stringify(statefulOfAll(), null, 2)}\n`);
