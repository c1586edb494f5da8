import { z } from 'zod';
import type { DeployedTemplate } from './deployed-template.ts';
import { readInvokePermissions } from './invoke-permissions.ts';

export type RouteDefinition = ReturnType<typeof readRoutes>[number];

const routeProperties = z.object({ ApiId: z.string(), RouteKey: z.string(), Target: z.string() });
const integrationProperties = z.object({ IntegrationUri: z.string(), PayloadFormatVersion: z.literal('2.0') });

/** The routes of the HTTP API. `permitted`: the function's resource-based policy allows the route to invoke it. */
export function readRoutes(template: DeployedTemplate) {
  const mayInvoke = readInvokePermissions(template);
  const integrations = new Map(
    template
      .resources('AWS::ApiGatewayV2::Integration')
      .map(({ ref, properties }) => [`integrations/${ref}`, integrationProperties.parse(properties)]),
  );
  return template.resources('AWS::ApiGatewayV2::Route').map(({ properties }) => {
    const { ApiId, RouteKey, Target } = routeProperties.parse(properties);
    const integration = integrations.get(Target);
    if (!integration) throw new Error(`Route ${RouteKey} has no integration.`);
    const functionArn = functionArnIn(integration.IntegrationUri);
    const permitted = mayInvoke(functionArn, 'apigateway.amazonaws.com', routeArn(functionArn, ApiId, RouteKey));
    return { routeKey: RouteKey, functionName: functionArn.split(':').at(-1)!, permitted };
  });
}

const functionArnIn = (uri: string): string => {
  const arn = /arn:[^:]+:lambda:[^:]*:[^:]*:function:[A-Za-z0-9_-]+/.exec(uri)?.[0];
  if (!arn) throw new Error(`${uri} does not contain the ARN of a Lambda function.`);
  return arn;
};

/**
 * The source ARN with which an HTTP API invokes a function: `<api>/<stage>/<method>/<path>`, and
 * `<api>/<stage>/$default` for the default route, which has no method.
 */
function routeArn(functionArn: string, apiId: string, routeKey: string): string {
  const [, partition, , region, accountId] = functionArn.split(':');
  const [method, path = ''] = routeKey.split(' ');
  return `arn:${partition}:execute-api:${region}:${accountId}:${apiId}/$default/${method}${path}`;
}
