import { readEnvironment } from '../../shared/environment.ts';
import { type TargetRules, targetSchemes } from '../../shared/target-url.ts';

/** What the URLs of users may be in this stage. They are checked when they are stored, and whenever they are opened. */
export const userTargets = (use: keyof typeof targetSchemes): TargetRules => ({
  schemes: targetSchemes[use],
  allowLoopback: readEnvironment('ALLOW_LOOPBACK_TARGETS'),
});

/** What the addresses of registered servers may be. Only administrators register them. */
export const nodeTargets = () => ({
  allowLoopback: readEnvironment('ALLOW_LOOPBACK_NODES'),
  allowIpv6: readEnvironment('ALLOW_IPV6_NODES'),
});
