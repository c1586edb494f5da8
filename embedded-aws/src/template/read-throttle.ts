import { z } from 'zod';
import type { DeployedTemplate, ResolvedResource } from './deployed-template.ts';

/** Requests per second in the long run, and how many of them may come at once. */
export type ThrottleSettings = { ratePerSecond: number; burst: number };

export type StageThrottle = {
  /** The limits of an account, for all requests together. */
  account: ThrottleSettings;
  /** For all routes together that have no settings. */
  defaultRoute: ThrottleSettings;
  /** Settings of single routes, by route key. They replace those of the default. */
  routes: Map<string, ThrottleSettings>;
};

const settingsSchema = z.object({
  ThrottlingRateLimit: z.number().min(0).optional(),
  ThrottlingBurstLimit: z.number().min(0).optional(),
});
const stageProperties = z.object({
  DefaultRouteSettings: settingsSchema.default({}),
  RouteSettings: z.record(z.string(), settingsSchema).default({}),
});
const routeProperties = z.object({ RouteKey: z.string() });

const accountLimits: ThrottleSettings = { ratePerSecond: 10_000, burst: 5000 };

/**
 * The throttling settings of the only stage of the HTTP API.
 * @throws when a route with settings does not exist at the time when the stage is created
 */
export function readThrottle(template: DeployedTemplate): StageThrottle {
  const [stage] = template.resources('AWS::ApiGatewayV2::Stage');
  const { DefaultRouteSettings, RouteSettings } = stageProperties.parse(stage?.properties ?? {});
  const earlierRoutes = routeKeysBefore(template, stage);
  const routes = Object.entries(RouteSettings).map(([routeKey, settings]) => {
    if (!earlierRoutes.has(routeKey)) {
      throw new Error(
        `Unable to find Route by key ${routeKey} within the provided RouteSettings. The stage must depend on that route.`,
      );
    }
    return [routeKey, limitsOf(settings)] as const;
  });
  return { account: accountLimits, defaultRoute: limitsOf(DefaultRouteSettings), routes: new Map(routes) };
}

/** CloudFormation creates only those routes certainly before the stage that the stage depends on. */
function routeKeysBefore(template: DeployedTemplate, stage: ResolvedResource | undefined): Set<string> {
  const routes = template.resources('AWS::ApiGatewayV2::Route');
  const isEarlier = ({ logicalId }: ResolvedResource): boolean => stage?.dependsOn.includes(logicalId) ?? false;
  return new Set(routes.filter(isEarlier).map(({ properties }) => routeProperties.parse(properties).RouteKey));
}

/** A limit that is not set is that of the account, also for a route: it does not have those of the default. */
export const limitsOf = (settings: z.output<typeof settingsSchema>): ThrottleSettings => ({
  ratePerSecond: Math.min(settings.ThrottlingRateLimit ?? accountLimits.ratePerSecond, accountLimits.ratePerSecond),
  burst: Math.min(settings.ThrottlingBurstLimit ?? accountLimits.burst, accountLimits.burst),
});
