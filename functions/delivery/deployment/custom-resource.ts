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
  /** Creates or updates the resource. Returns its attributes. */
  provide: (properties: unknown) => Promise<Record<string, string>>;
  /** Removes it. */
  remove: (properties: unknown) => Promise<void>;
};

/**
 * The handler of a custom resource of CloudFormation. CloudFormation waits for the answer for as long as the resource's
 * timeout, so a failure is an answer too.
 */
export const customResource =
  ({ physicalId, provide, remove }: CustomResource) =>
  async (raw: unknown): Promise<void> => {
    const { RequestType, ResponseURL, ResourceProperties, ...ids } = input.parse(raw);
    const answer = { ...ids, PhysicalResourceId: physicalId, NoEcho: true };
    try {
      const Data = RequestType === 'Delete' ? await remove(ResourceProperties) : await provide(ResourceProperties);
      await send(ResponseURL, { ...answer, Status: 'SUCCESS', Data: Data ?? {} });
    } catch (error) {
      log.error('custom resource', error as Error);
      const Reason = `${physicalId}: ${(error as Error).name}. The log of the function has more.`;
      await send(ResponseURL, { ...answer, Status: 'FAILED', Reason });
    }
  };

/** The URL is presigned for a request without a content type. */
async function send(url: string, answer: object): Promise<void> {
  const response = await fetch(url, { method: 'PUT', body: new Blob([JSON.stringify(answer)]) });
  if (!response.ok) throw new Error(`CloudFormation answered ${response.status}`);
}
