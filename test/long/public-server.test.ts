import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe } from 'vitest';
import { testFront } from '../journey/public/test-front.ts';
import { makeSourceClip } from '../journey/support/source-clip.ts';

const programs = (['nginx', 'caddy'] as const).filter((name) => spawnSync(name, ['version']).error === undefined);

describe.each(programs)('behind %s', (program) => {
  testFront(program, (folder) => makeSourceClip(join(folder, 'clip.mp4'), { durationSeconds: 12 }));
});
