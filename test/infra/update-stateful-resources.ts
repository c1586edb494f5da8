// Writes test/infra/stateful-resources.json anew, after a change that is meant.
// node test/infra/update-stateful-resources.ts

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { statefulOfAll } from './stateful-resources.ts';

writeFileSync(join(import.meta.dirname, 'stateful-resources.json'), `${JSON.stringify(statefulOfAll(), null, 2)}\n`);
