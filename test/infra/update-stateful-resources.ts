// Updates test/infra/stateful-resources.json after an intended change.
// node test/infra/update-stateful-resources.ts

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { statefulOfAll } from './stateful-resources.ts';

writeFileSync(join(import.meta.dirname, 'stateful-resources.json'), `${JSON.stringify(statefulOfAll(), null, 2)}\n`);
