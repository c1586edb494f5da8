import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { readEnvironment } from '../../../shared/environment.ts';
import { replayUploadEvent } from '../../aws/executions.ts';
import { readParameter } from '../../aws/parameters.ts';
import { mapBounded } from '../../common/concurrency.ts';
import {
  BadRequest,
  MethodNotAllowed,
  NoSuchRoute,
  PayloadTooLarge,
  Unauthenticated,
  ValidationFailed,
} from '../../common/errors.ts';
import { addRequestToLog } from '../../common/log.ts';
import { equalSecrets, sha256 } from '../../common/secret.ts';
import { errorResponse, successResponse } from '../../http/responses.ts';
import { createdKeys, storeEventSchema } from '../../uploads/store-event.ts';
import { storeWebhookSecretName } from '../../uploads/store-webhook-secret-name.ts';

const path = '/api/store-events';
const maxBodyBytes = 2 ** 20;
const maxStarts = 10;

/**
 * Starts the pipeline for the objects in the notifications of a store without EventBridge. Deployed only while the
 * setting `storeWebhook` is on. Notifications may be repeated and arrive in any order: the first state of the pipeline
 * decides what they mean, as for the events of EventBridge. The store repeats a notification that is answered with an
 * error.
 */
export async function handler(event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> {
  addRequestToLog(event.requestContext.requestId);
  try {
    return successResponse(event, { started: await start(event) });
  } catch (error) {
    return errorResponse(event, error);
  }
}

async function start(event: APIGatewayProxyEventV2): Promise<number> {
  const { method } = event.requestContext.http;
  if (event.rawPath !== path) throw new NoSuchRoute();
  if (method !== 'POST') throw new MethodNotAllowed(method, path, ['POST']);
  await authenticate(event.headers.authorization);
  const keys = createdKeys(readNotification(event), readEnvironment('BUCKET_NAME'));
  await mapBounded(keys, replayUploadEvent, maxStarts);
  return keys.length;
}

/** @throws Unauthenticated, also while there is no secret */
async function authenticate(authorization: string | undefined): Promise<void> {
  const [, sent] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? [];
  if (sent === undefined) throw new Unauthenticated();
  const secret = await readParameter(storeWebhookSecretName);
  // Digests have equal lengths, so that the time does not depend on the length of the secret either.
  if (secret === undefined || !equalSecrets(sha256(sent), sha256(secret))) throw new Unauthenticated();
}

/** @throws PayloadTooLarge, BadRequest, ValidationFailed */
function readNotification({ body = '', isBase64Encoded }: APIGatewayProxyEventV2) {
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.length > maxBodyBytes) throw new PayloadTooLarge('body_too_large', 'The request body is too large.');
  const { success, data } = storeEventSchema.safeParse(parseJson(bytes.toString()));
  if (!success) throw new ValidationFailed({ Records: ['The body must be an S3 event notification with Records.'] });
  return data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BadRequest();
  }
}
