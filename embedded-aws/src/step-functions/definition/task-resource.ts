/**
 * The parsed Resource of a Task. `api` is the part after `arn:aws:states:::` without the suffix of the integration
 * pattern.
 */
export type Resource =
  | { kind: 'function'; arn: string }
  | { kind: 'service'; api: string; service: string; action: string; suffix: '' | '.waitForTaskToken' };

const FUNCTION_ARN = /^arn:[\w-]+:lambda:[\w-]*:\d*:function:.+$/;
const SERVICE_ARN = /^arn:[\w-]+:states:[\w-]*:\d*:((?:aws-sdk:)?[\w-]+:[\w.]+?)(\.waitForTaskToken|\.sync(?::2)?)?$/;

/** @throws Error for resources that are not supported: activities, `.sync`, and strings that are not ARNs */
export function parseResource(resource: string): Resource {
  if (FUNCTION_ARN.test(resource)) return { kind: 'function', arn: resource };
  const [, api, suffix] = SERVICE_ARN.exec(resource) ?? [];
  if (!api || api.startsWith('activity:')) throw new Error(`the resource ${resource} is not supported`);
  if (suffix?.startsWith('.sync')) throw new Error(`the integration pattern of ${resource} is not supported`);
  const [service, action] = api.split(':').slice(-2) as [string, string];
  return {
    kind: 'service',
    api,
    service: api.startsWith('aws-sdk:') ? `aws-sdk:${service}` : service,
    action,
    suffix: suffix === undefined ? '' : '.waitForTaskToken',
  };
}
