import {
  ensureAwsCli,
  ensureChromium,
  ensureFfmpeg,
  ensureNginx,
  ensurePackages,
  ensureServerTools,
  exitWith,
} from '../local/setup.mjs';
import { check, runStages, stagesFile, testStage } from './stages.mjs';

/**
 * `npm test`: installs missing programs, then runs types, lint, unit tests and journeys, even when one of them fails.
 */
await exitWith(async () => {
  ensurePackages();
  ensureFfmpeg();
  ensureChromium();
  ensureServerTools();
  ensureNginx();
  ensureAwsCli();
  return runStages([check, testStage('unit'), testStage('journey')], stagesFile);
});
