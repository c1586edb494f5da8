import { z } from 'zod';
import type { DeployedTemplate } from './deployed-template.ts';

/** Requests per second in the long run, and how many of them may come at once. */
export type ThrottleSettings = { ratePerSecond: number; burst: number };

const stageProperties = z.object({
  DefaultRouteSettings: z
    .object({ ThrottlingRateLimit: z.number().optional(), ThrottlingBurstLimit: z.number().optional() })
    .default({}),
  /** Settings of single routes are not supported. */
  RouteSettings: z.undefined().optional(),
});

/** The limits of an account, which a stage without its own has. */
const accountLimits: ThrottleSettings = { ratePerSecond: 10_000, burst: 5000 };

/** The throttling settings of the only stage of the HTTP API. */
export function readThrottle(template: DeployedTemplate): ThrottleSettings {
  const [stage] = template.resources('AWS::ApiGatewayV2::Stage');
  const { DefaultRouteSettings: settings } = stageProperties.parse(stage?.properties ?? {});
  return {
    ratePerSecond: Math.min(settings.ThrottlingRateLimit ?? accountLimits.ratePerSecond, accountLimits.ratePerSecond),
    burst: Math.min(settings.ThrottlingBurstLimit ?? accountLimits.burst, accountLimits.burst),
  };
}
