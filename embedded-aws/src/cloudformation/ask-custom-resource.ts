import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { readBody } from '../http/request-body.ts';

// https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/crpg-ref-responses.html

const maxResponseBytes = 4096;
const attributes = z.record(z.string(), z.string());
const responseSchema = z.discriminatedUnion('Status', [
  z.object({ Status: z.literal('SUCCESS'), PhysicalResourceId: z.string(), Data: attributes.default({}) }),
  z.object({ Status: z.literal('FAILED'), PhysicalResourceId: z.string().optional(), Reason: z.string() }),
]);
const resourceProperties = z.looseObject({ ServiceToken: z.string(), ServiceTimeout: z.coerce.number().default(3600) });

export type CustomResourceRequest = {
  type: 'Create' | 'Update' | 'Delete';
  stackId: string;
  logicalId: string;
  resourceType: string;
  properties: Record<string, unknown>;
  /** of the resource, once it has one */
  physicalId?: string;
  /** before an update */
  oldProperties?: Record<string, unknown>;
};

export type InvokeFunction = (functionArn: string, event: object) => Promise<{ functionError?: string | undefined }>;

/** The function of a custom resource answered that it failed, or did not answer. */
export class CustomResourceFailed extends Error {
  /** The resource that the function may have begun to create. */
  readonly physicalId: string | undefined;

  constructor({ logicalId, type }: CustomResourceRequest, reason: string, physicalId?: string) {
    super(`The custom resource ${logicalId} was not ${past[type]}: ${reason}`);
    this.name = 'CustomResourceFailed';
    this.physicalId = physicalId;
  }
}

const past = { Create: 'created', Update: 'updated', Delete: 'deleted' };

/**
 * Asks the function of a custom resource to create, update or delete it. The function sends its answer to a URL that is
 * known to it alone.
 * @throws CustomResourceFailed
 */
export async function askCustomResource(
  request: CustomResourceRequest,
  invoke: InvokeFunction,
): Promise<{ physicalId: string; attributes: Record<string, string> }> {
  const { ServiceToken, ServiceTimeout, ...rest } = resourceProperties.parse(request.properties);
  const responded = Promise.withResolvers<string>();
  const path = `/${randomUUID()}`;
  const server = createServer(async (received, response) => {
    const isResponse = received.method === 'PUT' && received.url === path;
    const body = await readBody(received, maxResponseBytes).catch(() => undefined);
    response.writeHead(isResponse && body ? 200 : 403).end();
    if (isResponse && body) responded.resolve(body.toString('utf8'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const fail = (reason: string) => new CustomResourceFailed(request, reason);
  const timer = setTimeout(() => responded.reject(fail('its function did not answer.')), ServiceTimeout * 1000);
  try {
    const event = {
      RequestType: request.type,
      StackId: request.stackId,
      RequestId: randomUUID(),
      LogicalResourceId: request.logicalId,
      ResourceType: request.resourceType,
      ResourceProperties: { ServiceToken, ...rest },
      ...(request.physicalId !== undefined && { PhysicalResourceId: request.physicalId }),
      ...(request.oldProperties && { OldResourceProperties: request.oldProperties }),
      ResponseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    };
    void invoke(ServiceToken, event).then(({ functionError }) => {
      if (functionError !== undefined) responded.reject(fail('its function failed.'));
    }, responded.reject);
    const response = responseSchema.parse(JSON.parse(await responded.promise));
    if (response.Status === 'SUCCESS') return { physicalId: response.PhysicalResourceId, attributes: response.Data };
    throw new CustomResourceFailed(request, response.Reason, response.PhysicalResourceId);
  } finally {
    clearTimeout(timer);
    server.closeAllConnections();
    server.close();
  }
}
