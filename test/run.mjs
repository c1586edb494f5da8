import {
  ensureAwsCli,
  ensureChromium,
  ensureFfmpeg,
  ensureNginx,
  ensurePackages,
  ensureServerTools,
  exitWith,
} from '../infra/local/setup.mjs';
import { check, runStages, stagesFile, testStage } from './stages.mjs';

/** `npm test`: sets up what is missing, then types, lint, unit tests and journeys, all of them whatever fails. */
await exitWith(async () => {
  ensurePackages();
  ensureFfmpeg();
  ensureChromium();
  ensureServerTools();
  ensureNginx();
  ensureAwsCli();
  return runStages([check, testStage('unit'), testStage('journey')], stagesFile);
});
