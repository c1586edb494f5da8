import { readEnvironment } from '../../../shared/environment.ts';
import type { TargetRules } from '../../../shared/target-url.ts';

/** What the URLs of webhooks may be. */
export const webhookTargets = (): TargetRules => ({
  schemes: ['https:'],
  allowLoopback: readEnvironment('ALLOW_LOOPBACK_WEBHOOKS'),
});
