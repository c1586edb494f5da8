import { z } from 'zod';
import type { DeployedTemplate } from './deployed-template.ts';

export type RouteDefinition = ReturnType<typeof readRoutes>[number];

const routeProperties = z.object({ RouteKey: z.string(), Target: z.string() });
const integrationProperties = z.object({ IntegrationUri: z.string(), PayloadFormatVersion: z.literal('2.0') });

export function readRoutes(template: DeployedTemplate) {
  const integrations = new Map(
    template
      .resources('AWS::ApiGatewayV2::Integration')
      .map(({ ref, properties }) => [`integrations/${ref}`, integrationProperties.parse(properties)]),
  );
  return template.resources('AWS::ApiGatewayV2::Route').map(({ properties }) => {
    const { RouteKey, Target } = routeProperties.parse(properties);
    const integration = integrations.get(Target);
    if (!integration) throw new Error(`Route ${RouteKey} has no integration.`);
    return { routeKey: RouteKey, functionName: functionNameIn(integration.IntegrationUri) };
  });
}

const functionNameIn = (arn: string): string => {
  const name = /:function:([A-Za-z0-9_-]+)/.exec(arn)?.[1];
  if (!name) throw new Error(`${arn} names no Lambda function.`);
  return name;
};
