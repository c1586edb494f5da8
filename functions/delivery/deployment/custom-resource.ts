import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { log } from '../../common/log.ts';

const input = z.object({
  RequestType: z.enum(['Create', 'Update', 'Delete']),
  ResponseURL: z.url(),
  StackId: z.string(),
  RequestId: z.string(),
  LogicalResourceId: z.string(),
  ResourceProperties: z.record(z.string(), z.unknown()).default({}),
});

export type CustomResource = {
  /** of the resource in AWS; another one would make CloudFormation delete the previous resource */
  physicalId: string;
  /** Creates or updates the resource. Returns its attributes. It may run again after it failed. */
  provide: (properties: unknown) => Promise<Record<string, string>>;
  /** Whether `provide` may succeed some seconds after an error, besides a refused permission. */
  isTransient?: (error: Error) => boolean;
  /** Removes it. */
  remove: (properties: unknown) => Promise<void>;
};

/** Together 30 s: the function and CloudFormation wait for 60 s. */
const retrySeconds = [1, 2, 4, 8, 15];

/**
 * The handler of a custom resource of CloudFormation. CloudFormation waits for the answer for as long as the resource's
 * timeout, so a failure is a response too.
 */
export const customResource =
  ({ physicalId, provide, isTransient = () => false, remove }: CustomResource) =>
  async (raw: unknown): Promise<void> => {
    const { RequestType, ResponseURL, ResourceProperties, ...ids } = input.parse(raw);
    const response = { ...ids, PhysicalResourceId: physicalId, NoEcho: true };
    try {
      const Data =
        RequestType === 'Delete'
          ? await remove(ResourceProperties)
          : await repeat(
              () => provide(ResourceProperties),
              (error) => isDenied(error) || isTransient(error),
            );
      await send(ResponseURL, { ...response, Status: 'SUCCESS', Data: Data ?? {} });
    } catch (error) {
      log.error('custom resource', error as Error);
      const Reason = `${physicalId}: ${(error as Error).name}. The log of the function has more.`;
      await send(ResponseURL, { ...response, Status: 'FAILED', Reason });
    }
  };

/** A new permission takes effect some seconds after CloudFormation has created it. */
export const isDenied = ({ name }: Error): boolean => name.startsWith('AccessDenied');

/** Repeats an action after transient errors, for 30 s. */
export async function repeat<Result>(
  action: () => Promise<Result>,
  isTransient: (error: Error) => boolean,
): Promise<Result> {
  for (const seconds of retrySeconds) {
    try {
      return await action();
    } catch (error) {
      if (!isTransient(error as Error)) throw error;
      await sleep(seconds * 1000);
    }
  }
  return action();
}

/** The URL is presigned for a request without a content type. */
async function send(url: string, content: object): Promise<void> {
  const response = await fetch(url, { method: 'PUT', body: new Blob([JSON.stringify(content)]) });
  if (!response.ok) throw new Error(`CloudFormation answered ${response.status}`);
}
