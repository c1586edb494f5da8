import { writeFile } from 'node:fs/promises';
import openapiTS, { astToString, type OpenAPI3, type OperationObject } from 'openapi-typescript';
import { eventTypes } from '../functions/contracts/event-types.ts';
import { openApiDocument } from '../functions/contracts/openapi-document.ts';

const header = '// Generated from the contract by `npm run generate:client`. Do not edit.\n\n';

/** The types of events, as TypeScript source. */
export const generateEventTypes = (): string =>
  `${header}/** What webhooks and the list of events report. */\nexport const eventTypes = [\n${eventTypes
    .map((type) => `  '${type}',\n`)
    .join('')}] as const;\n`;

/** The types of all operations and schemas, as TypeScript source. */
export async function generateTypes(): Promise<string> {
  const document = openApiDocument() as unknown as OpenAPI3;
  for (const path of Object.values(document.paths ?? {})) {
    for (const operation of Object.values(path)) keepSuccess(operation as OperationObject);
  }
  return header + astToString(await openapiTS(document, { alphabetize: true, defaultNonNullable: false }));
}

/** Errors have one shape for all operations: the client throws them as `ApiError`. */
function keepSuccess({ responses = {} }: OperationObject): void {
  for (const status of Object.keys(responses)) if (!/^2/.test(status)) delete responses[status];
  for (const response of Object.values(responses)) if ('headers' in response) delete response.headers;
}

if (import.meta.main) {
  await writeFile(new URL('./api-types.ts', import.meta.url), await generateTypes());
  await writeFile(new URL('./event-types.ts', import.meta.url), generateEventTypes());
}
