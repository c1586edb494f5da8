import { z } from 'zod';
import { arnWildcard } from '../iam/wildcards.ts';
import type { DeployedTemplate } from './deployed-template.ts';

const permissionProperties = z.object({
  Action: z.literal('lambda:InvokeFunction'),
  FunctionName: z.string(),
  Principal: z.string(),
  SourceArn: z.string().optional(),
});

/** Whether a service may invoke a function on behalf of a resource. */
export type MayInvoke = (functionArn: string, service: string, sourceArn: string) => boolean;

/**
 * The resource-based policies of the functions in a template. A service such as `apigateway.amazonaws.com` may invoke a
 * function only if an `AWS::Lambda::Permission` allows the service and the ARN of the route or rule.
 */
export function readInvokePermissions(template: DeployedTemplate): MayInvoke {
  const permissions = template.resources('AWS::Lambda::Permission').map(({ properties }) => {
    const { FunctionName, Principal, SourceArn } = permissionProperties.parse(properties);
    return { functionName: functionNameOf(FunctionName), service: Principal, matches: arnWildcard(SourceArn ?? '*') };
  });
  return (functionArn, service, sourceArn) =>
    permissions.some(
      (permission) =>
        permission.functionName === functionNameOf(functionArn) &&
        permission.service === service &&
        permission.matches(sourceArn),
    );
}

const functionNameOf = (nameOrArn: string): string => nameOrArn.split(':').at(-1)!;
