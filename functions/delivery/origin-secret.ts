import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { createParameter } from '../aws/parameters.ts';
import { log } from '../common/log.ts';

/** The request of CloudFormation for a custom resource. */
const input = z.object({
  RequestType: z.enum(['Create', 'Update', 'Delete']),
  ResponseURL: z.url(),
  StackId: z.string(),
  RequestId: z.string(),
  LogicalResourceId: z.string(),
});

/**
 * A custom resource: the secret header that the distribution adds to its requests to the API. It is created once and
 * kept when the resource is deleted, as the other secrets of the stage are. CloudFormation waits for the answer for an
 * hour, so a failure is an answer too.
 */
export async function handler(raw: unknown): Promise<void> {
  const { RequestType, ResponseURL, ...ids } = input.parse(raw);
  const answer = { ...ids, PhysicalResourceId: 'origin-secret', NoEcho: true };
  try {
    const Value = RequestType === 'Delete' ? undefined : await createParameter('origin-secret', newSecret());
    await send(ResponseURL, { ...answer, Status: 'SUCCESS', ...(Value !== undefined && { Data: { Value } }) });
  } catch (error) {
    log.error('origin secret', error as Error);
    await send(ResponseURL, { ...answer, Status: 'FAILED', Reason: 'The function could not create the parameter.' });
  }
}

const newSecret = (): string => randomBytes(32).toString('base64url');

/** The URL is presigned without a content type. */
async function send(url: string, answer: object): Promise<void> {
  const response = await fetch(url, { method: 'PUT', body: new Blob([JSON.stringify(answer)]) });
  if (!response.ok) throw new Error(`CloudFormation answered ${response.status}`);
}
