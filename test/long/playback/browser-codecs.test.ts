import { join } from 'node:path';
import { makeSourceClip } from '../../journey/support/source-clip.ts';
import { browserCodecs } from '../../journey/support/templates.ts';
import { testMenus } from '../../journey/support/use-codecs.ts';

testMenus(
  browserCodecs,
  async (folder) => (await makeSourceClip(join(folder, 'clip.mp4'), { durationSeconds: 12 })).file,
);
