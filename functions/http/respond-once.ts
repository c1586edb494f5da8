import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { nowSeconds } from '../../shared/clock.ts';
import { readParameter, replayKeyName } from '../aws/parameters.ts';
import { ApiError, ValidationFailed } from '../common/errors.ts';
import { type KeyedRequest, keyedRequest, RequestRepeated } from '../common/keyed-request.ts';
import { log } from '../common/log.ts';
import { sha256 } from '../common/secret.ts';
import {
  claimWrite,
  endLease,
  findKeyedRequest,
  type StoredRequest,
  storeResponse,
  takeOver,
} from '../table/accounts/keyed-request-table.ts';
import type { ApiEvent, Call } from './call.ts';
import { errorResponse, storedResponse } from './responses.ts';

type Response = APIGatewayProxyStructuredResultV2;

/** Longer than a function of the API runs. */
const leaseSeconds = 35;

/**
 * Runs a handler once for each Idempotency-Key of a user and an operation, and sends its response to each repeat of 24
 * hours. The table records a request in the transaction that does what it asks for, together with the IDs and secrets
 * that the handler has chosen. So there is no moment at which a process can die and a repeat would do it again: before
 * the transaction nothing is done, and after it a repeat continues with the same choices to the same response.
 * @throws ApiError 409 while another call runs, 422 for a wrong key and for that of another request
 */
export async function respondOnce(event: ApiEvent, respond: () => Promise<Response>): Promise<Response> {
  const { call } = event;
  const { repeats, operationId } = call.route.declaration;
  const key = event.headers['idempotency-key'];
  if (key === undefined || !repeats) return respond();
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw new ValidationFailed({
      'Idempotency-Key': ['The Idempotency-Key must have 1 to 255 visible ASCII characters.'],
    });
  const id = sha256(JSON.stringify([call.user?.ulid, call.direct?.ulid, operationId, key]));
  const contentHash = contentHashOf(call, key);
  const { seal, open } = await sealing(id, call.route.declaration.showsSecret === true);

  const resolve = (known: StoredRequest): Response | undefined => {
    if (known.contentHash !== contentHash) throw reusedKey();
    if (known.status !== undefined && known.body)
      return storedResponse(event, known.status, open(known.body).toString());
    if (known.leaseUntil > nowSeconds()) throw inProgress();
    return undefined;
  };
  const known = await findKeyedRequest(id);
  const replayed = known && resolve(known);
  if (replayed) return replayed;

  const request: KeyedRequest = {
    id,
    contentHash,
    state: 'new',
    leaseUntil: nowSeconds() + leaseSeconds,
    ...(known && { replacedLease: known.leaseUntil }),
    choices: {},
    made: {},
    seal: (choices) => seal(JSON.stringify(choices)),
    claim: () => claimWrite(request),
  };
  if (known && repeats === 'continued') {
    if (!(await takeOver(request))) throw inProgress();
    request.state = 'committed';
    request.choices = JSON.parse(open(known.choices).toString());
  }
  const response = await run(event, request, respond);
  if (response !== 'repeated' && (response.statusCode ?? 500) >= 500) {
    await endLease(request).catch((error: Error) => log.warn('could not end the lease of a request', { error }));
    return response;
  }
  if (response !== 'repeated' && (await store(request, response, seal))) return response;
  const faster = await findKeyedRequest(id);
  return (faster && resolve(faster)) ?? unstored(response);
}

/**
 * A hash of what is asked for. A key belongs to one path and one body. The key is stored nowhere: who reads the table
 * cannot find a password in a body by trying.
 */
const contentHashOf = ({ pathParams, rawQuery, rawBody, file }: Call, key: string): string =>
  sha256(JSON.stringify([key, pathParams, rawQuery, rawBody, file && sha256(file.bytes)]));

async function run(
  event: ApiEvent,
  request: KeyedRequest,
  respond: () => Promise<Response>,
): Promise<Response | 'repeated'> {
  try {
    return await keyedRequest.run(request, respond);
  } catch (error) {
    return error instanceof RequestRepeated ? 'repeated' : errorResponse(event, error);
  }
}

/** False when another call with the key was faster. */
async function store(request: KeyedRequest, response: Response, seal: Sealing['seal']): Promise<boolean> {
  try {
    return await storeResponse(request, response.statusCode!, seal(response.body ?? ''));
  } catch (error) {
    // The request is done. A repeat after the lease continues it.
    log.warn('could not store the response to a request', { error: error as Error });
    return true;
  }
}

function unstored(response: Response | 'repeated'): Response {
  if (response === 'repeated') throw inProgress();
  return response;
}

const reusedKey = (): ValidationFailed =>
  new ValidationFailed(
    { 'Idempotency-Key': ['This Idempotency-Key belongs to another request: send a new one.'] },
    'idempotency_key_reused',
  );

const inProgress = (): ApiError =>
  new ApiError('idempotency_in_progress', 'The first request with this Idempotency-Key is not finished.', {
    'retry-after': '1',
  });

type Sealing = { seal: (text: string) => Uint8Array; open: (sealed: Uint8Array) => Buffer };

/** Texts are stored compressed, and encrypted where they have secrets that are shown once. */
async function sealing(id: string, hasSecret: boolean): Promise<Sealing> {
  if (!hasSecret) return { seal: (text) => gzipSync(text), open: gunzipSync };
  const text = await readParameter(replayKeyName);
  if (text === undefined) throw new Error('the stage has no key of replays: invoke the setup function first');
  const key = createHash('sha256').update(text).digest();
  return {
    seal(plain) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(id));
      const sealed = Buffer.concat([cipher.update(gzipSync(plain)), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
    },
    open(sealed) {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12), { authTagLength: 16 });
      decipher.setAAD(Buffer.from(id)).setAuthTag(sealed.subarray(12, 28));
      return gunzipSync(Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]));
    },
  };
}
