/** What the Resource of a Task names. `api` is the part after `arn:aws:states:::`, without the pattern suffix. */
export type Resource =
  | { kind: 'function'; arn: string }
  | { kind: 'service'; api: string; service: string; action: string; suffix: '' | '.waitForTaskToken' };

const FUNCTION_ARN = /^arn:[\w-]+:lambda:[\w-]*:\d*:function:.+$/;
const SERVICE_ARN = /^arn:[\w-]+:states:[\w-]*:\d*:((?:aws-sdk:)?[\w-]+:[\w.]+?)(\.waitForTaskToken|\.sync(?::2)?)?$/;

/** Reads a Task's Resource. Throws for what cannot run here: activities, `.sync`, and names that are no ARN. */
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
