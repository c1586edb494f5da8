import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import {
  ensureAwsCli,
  ensureChromium,
  ensureFfmpeg,
  ensureNginx,
  ensurePackages,
  ensureServerTools,
  exitWith,
  root,
  runNode,
} from '../infra/local/setup.mjs';

/** `npm test`: sets up what is missing, then types, lint, unit tests and journeys, up to the first that fails. */
await exitWith(async () => {
  ensurePackages();
  ensureFfmpeg();
  ensureChromium();
  ensureServerTools();
  ensureNginx();
  ensureAwsCli();
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const checked = spawnSync('npm', ['run', '--silent', 'check'], { cwd: root, stdio: 'inherit' });
  if (checked.status !== 0) return checked.status ?? 1;
  return (await runNode([vitest, 'run', '--project', 'unit'])) || runNode([vitest, 'run', '--project', 'journey']);
});
