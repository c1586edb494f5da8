import { randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { readBody } from '../http/request-body.ts';
import type { CustomAttributes, DeployedTemplate } from '../template/deployed-template.ts';

// https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/crpg-ref-responses.html

const maxAnswerBytes = 4096;
const attributes = z.record(z.string(), z.string());
const stored = z.record(z.string(), attributes);
const answerSchema = z.discriminatedUnion('Status', [
  z.object({ Status: z.literal('SUCCESS'), Data: attributes.default({}) }),
  z.object({ Status: z.literal('FAILED'), Reason: z.string() }),
]);
const resourceProperties = z.looseObject({ ServiceToken: z.string(), ServiceTimeout: z.coerce.number().default(3600) });

export type CustomResourcesOptions = {
  template: Pick<DeployedTemplate, 'customResources' | 'customAttributes'>;
  /** Keeps the attributes of the resources, which are created once. */
  file: string;
  stackId: string;
  invoke: (functionArn: string, event: object) => Promise<{ functionError?: string | undefined }>;
};

/** Creates the custom resources of a template that do not exist yet, and makes their attributes known. */
export async function createCustomResources({
  template,
  file,
  stackId,
  invoke,
}: CustomResourcesOptions): Promise<void> {
  const known = new Map(Object.entries(await readAttributes(file)));
  for (const { logicalId, type, properties } of template.customResources) {
    const existing = known.get(logicalId);
    if (!existing) {
      const { ServiceToken, ServiceTimeout, ...rest } = resourceProperties.parse(properties());
      const event = {
        RequestType: 'Create',
        StackId: stackId,
        RequestId: randomUUID(),
        LogicalResourceId: logicalId,
        ResourceType: type,
        ResourceProperties: { ServiceToken, ...rest },
      };
      known.set(logicalId, await create(event, ServiceToken, ServiceTimeout, invoke));
      await writeAttributes(file, known);
    }
    template.customAttributes.set(logicalId, known.get(logicalId)!);
  }
}

/** The function sends its answer to a URL that is known to it alone. */
async function create(
  event: { LogicalResourceId: string },
  functionArn: string,
  timeoutSeconds: number,
  invoke: CustomResourcesOptions['invoke'],
): Promise<Record<string, string>> {
  const answered = Promise.withResolvers<string>();
  const path = `/${randomUUID()}`;
  const server = createServer(async (request, response) => {
    const isAnswer = request.method === 'PUT' && request.url === path;
    const body = await readBody(request, maxAnswerBytes).catch(() => undefined);
    response.writeHead(isAnswer && body ? 200 : 403).end();
    if (isAnswer && body) answered.resolve(body.toString('utf8'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const fail = (reason: string) =>
    new Error(`The custom resource ${event.LogicalResourceId} was not created: ${reason}`);
  const timer = setTimeout(() => answered.reject(fail('its function did not answer.')), timeoutSeconds * 1000);
  try {
    const ResponseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
    void invoke(functionArn, { ...event, ResponseURL }).then(({ functionError }) => {
      if (functionError !== undefined) answered.reject(fail('its function failed.'));
    }, answered.reject);
    const answer = answerSchema.parse(JSON.parse(await answered.promise));
    if (answer.Status === 'FAILED') throw fail(answer.Reason);
    return answer.Data;
  } finally {
    clearTimeout(timer);
    server.closeAllConnections();
    server.close();
  }
}

async function readAttributes(file: string): Promise<Record<string, Record<string, string>>> {
  try {
    return stored.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new Error(`${file} does not contain valid attributes`, { cause: error });
  }
}

/** Replaces the file atomically. Attributes may be secrets. */
async function writeAttributes(file: string, known: CustomAttributes): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify(Object.fromEntries(known)), { mode: 0o600, flush: true });
  await rename(`${file}.new`, file);
}
