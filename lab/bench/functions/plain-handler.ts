import { join } from 'node:path';
import { build } from 'esbuild';

const source = `
  import middy from '@middy/core';
  import * as z from 'zod';
  import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
  import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';

  const documents = DynamoDBDocumentClient.from(new DynamoDBClient({}));
  const key = z.object({ pk: z.string() });
  export const handler = middy().handler((event) => documents.send(new GetCommand({ TableName: 'table', Key: key.parse(event) })));
`;

/** A minimal handler with the same packages, bundled for Node with default options and without white space. */
export async function bundlePlainHandler(outfile: string): Promise<void> {
  await build({
    stdin: { contents: source, resolveDir: join(import.meta.dirname, '../../..') },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    minifyWhitespace: true,
    minifySyntax: true,
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
  });
}
