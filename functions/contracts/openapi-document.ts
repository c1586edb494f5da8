import * as z from 'zod';
import {
  type CreateDocumentOptions,
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi';
import { type ErrorCode, errorCodes } from '../common/error-codes.ts';
import { fieldErrorCodes } from '../common/field-errors.ts';
import { apiVersion } from './api-version.ts';
import { errorResponses } from './error-responses.ts';
import { publishedRoutes } from './published-routes.ts';
import { abilitiesOf, hasEntityTag, type RouteDeclaration, tags } from './route-declaration.ts';

const description = `JSON in and out, UTF-8; timestamps are ISO 8601 UTC. Unknown body fields are ignored unless a schema says additionalProperties: false. HEAD works where GET does. A GET response with an ETag can be asked for again with If-None-Match, which answers 304 while it is the same; a trailing slash is accepted, or redirects with 308 to the path without it. Any other method on a known path answers 405 with Allow. Cookie-authenticated POST, PUT and DELETE requests, and the GET that opens an upload, answer 419 when the browser marks the request as cross-site (Sec-Fetch-Site, otherwise an Origin that is not allowed); no CSRF header is needed.`;

const errorCode = z.enum(Object.keys(errorCodes) as [ErrorCode, ...ErrorCode[]]).meta({
  id: 'ErrorCode',
  description: 'What went wrong, for programs. docs/errors.md lists all codes, each operation those that it can have.',
});

const errorFields = {
  message: z.string(),
  code: errorCode,
  request_id: z.string().meta({ description: 'As in the header X-Request-Id of every response, and in the log.' }),
};

const error = z.object(errorFields).meta({
  id: 'Error',
  description: 'Error body of every status but 422. No stack trace, no internal ids.',
});

const fieldErrorCode = z.object({
  code: z.enum(fieldErrorCodes).meta({ id: 'FieldErrorCode' }),
  limit: z.number().optional().meta({ description: 'The bound that the value exceeds.' }),
});

const validationError = z
  .object({
    ...errorFields,
    errors: z.record(z.string(), z.array(z.string()).min(1)),
    codes: z.record(z.string(), z.array(fieldErrorCode).min(1)).meta({
      description: 'The codes of the messages in errors, in their order. With invalid, only the message says more.',
    }),
  })
  .meta({ id: 'ValidationError', description: 'Field name, dotted where nested, to list of messages.' });

/** The OpenAPI 3.1 document of the service, generated from the schemas that validate requests. */
export function openApiDocument() {
  const paths: ZodOpenApiPathsObject = {};
  for (const declaration of publishedRoutes) {
    paths[declaration.path] = {
      ...paths[declaration.path],
      [declaration.method.toLowerCase()]: operation(declaration),
    };
  }
  return createDocument(
    {
      openapi: '3.1.0',
      info: { title: 'Open Video Service', version: apiVersion, description },
      servers: [{ url: '/' }],
      tags: tags.filter((name) => publishedRoutes.some(({ tag }) => tag === name)).map((name) => ({ name })),
      paths,
      components: {
        schemas: { Error: error, ValidationError: validationError },
        securitySchemes: {
          bearerAuth: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: '<token_id>|<secret>',
            description:
              'Value from POST /api/tokens. An Authorization header, when present, decides alone. The security of each operation names the ability that the token needs; one with * has all.',
          },
          uploadToken: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: '<ulid>_<secret>',
            description: 'Value from POST /api/direct-uploads, for one upload.',
          },
          sessionCookie: {
            type: 'apiKey',
            in: 'cookie',
            name: 'session',
            description: 'Set by /login and /register. 120 minutes sliding.',
          },
        },
      },
    },
    { override: openForMore },
  );
}

/** Responses may gain fields without breaking the contract, so only request schemas exclude additional properties. */
const openForMore: NonNullable<CreateDocumentOptions['override']> = ({ jsonSchema, io }) => {
  if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
};

function operation(declaration: RouteDeclaration): ZodOpenApiOperationObject {
  const {
    operationId,
    tag = 'Service',
    summary = operationId,
    body,
    fileTypes,
    access,
    acceptsUploadToken,
    repeats,
  } = declaration;
  return {
    operationId,
    tags: [tag],
    summary,
    ...describe(declaration),
    security: [
      ...abilitiesOf(declaration).map((ability) => ({ bearerAuth: [ability] })),
      ...(access === 'public' ? [] : [{ sessionCookie: [] }]),
      ...(acceptsUploadToken ? [{ uploadToken: [] }] : []),
    ],
    requestParams: {
      path: pathParameters(declaration),
      query: queryParameters(declaration),
      ...(repeats && { header: idempotencyKey }),
    },
    ...((body || fileTypes) && {
      requestBody: {
        required: !declaration.bodyOptional,
        content: {
          ...(body && {
            'application/json': {
              schema: body,
              ...(declaration.bodyExample !== undefined && { example: declaration.bodyExample }),
            },
          }),
          ...(fileTypes && fileContent(fileTypes, body ? undefined : declaration.bodyExample)),
        },
      },
    }),
    responses: {
      [declaration.status]: success(declaration),
      ...(declaration.replacedStatus && {
        [declaration.replacedStatus]: { ...success(declaration), description: 'Replaced.' },
      }),
      ...(hasEntityTag(declaration) && { 304: { description: statusWords[304], headers: entityTagHeader } }),
      ...(declaration.emptyStatus && {
        [declaration.emptyStatus]: { description: statusWords[declaration.emptyStatus] },
      }),
      ...errorResponses(declaration),
    },
  };
}

/** The description, with what a token needs: viewers of the document leave out the abilities of `security`. */
function describe(declaration: RouteDeclaration): { description?: string } {
  const needed = abilitiesOf(declaration);
  const sentence = needed.length > 0 && `A token needs the ability ${needed.join(' or ')}.`;
  const description = [declaration.description, sentence].filter(Boolean).join(' ');
  return description === '' ? {} : { description };
}

const idempotencyKey = z.object({
  'Idempotency-Key': z.string().min(1).max(255).optional().meta({
    description:
      'A new one for each request, the same for its repeats: for 24 hours they get the response of the first, with Idempotency-Replayed: true.',
  }),
});

/** The first type has the example. */
const fileContent = (types: readonly string[], example: unknown) =>
  Object.fromEntries(
    types.map((type, index) => [
      type,
      { schema: { type: 'string' as const }, ...(index === 0 && example !== undefined && { example }) },
    ]),
  );

const statusWords = { 200: 'Done.', 201: 'Created.', 202: 'Accepted.', 204: 'Done; empty body.', 304: 'Not modified.' };

const entityTagHeader = {
  ETag: { schema: { type: 'string' as const }, description: 'For If-None-Match: an unchanged response is 304.' },
};

function success(declaration: RouteDeclaration): ZodOpenApiResponseObject {
  const { status, response, responseType = 'application/json', responseHeaders = {} } = declaration;
  const headers = { ...headersOf(responseHeaders), ...(hasEntityTag(declaration) && entityTagHeader) };
  return {
    description: statusWords[status],
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(response && { content: { [responseType]: { schema: response } } }),
  };
}

const headersOf = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, example]) => [name, { schema: { type: 'string' as const }, example }]),
  );

function pathParameters({ path, params }: RouteDeclaration): z.ZodObject {
  const shape = params instanceof z.ZodObject ? params.shape : {};
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  return z.object(Object.fromEntries(names.map((name) => [name, shape[name] ?? named(name)])));
}

const named = (name: string) =>
  z.string().meta(
    name === 'id'
      ? {
          description: 'Record id: the integer id or, where the record has one, its ULID. Anything else answers 404.',
          pattern: '^([1-9][0-9]{0,15}|[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25})$',
        }
      : { description: name === 'ulid' ? 'ULID; case-insensitive.' : name, minLength: 1 },
  );

/** An object in a query is one parameter per field: `metadata[template]`. */
function queryParameters({ query, lookupQuery = query }: RouteDeclaration): z.ZodObject {
  const entries = lookupQuery instanceof z.ZodObject ? Object.entries(lookupQuery.shape) : [];
  return z.object(
    Object.fromEntries(
      entries.flatMap(([name, schema]): [string, z.ZodType][] => {
        const inner = schema instanceof z.ZodPrefault ? schema.unwrap() : schema;
        return inner instanceof z.ZodObject
          ? Object.entries(inner.shape).map(([field, value]) => [`${name}[${field}]`, value as z.ZodType])
          : [[name, schema as z.ZodType]];
      }),
    ),
  );
}
