/**
 * The codes of error responses, with their status and what each means. Clients decide by them, so they do not change.
 * `docs/errors.md` and the API document have the sentences.
 */
export const errorCodes = {
  moved_permanently: { status: 308, meaning: 'Send the request again, with its method and body, to `Location`.' },
  malformed_body: { status: 400, meaning: 'The body is not well-formed JSON.' },
  malformed_request: { status: 400, meaning: 'The request is not valid HTTP, or its target has a space or a `#`.' },
  unauthenticated: { status: 401, meaning: 'There is no credential, or it is wrong, revoked or has ended.' },
  token_expired: { status: 401, meaning: 'The `expires_at` of the token is over. Create another one.' },
  quota_exceeded: { status: 402, meaning: 'The quota of the owner does not allow this in this month (UTC).' },
  forbidden: { status: 403, meaning: 'You are signed in but may not do this.' },
  password_confirmation_required: {
    status: 403,
    meaning: 'The session is older than 15 minutes. Send the password to `POST /api/session/confirm` first.',
  },
  token_ability_missing: {
    status: 403,
    meaning: 'The token was created without the ability that this needs, which the message names.',
  },
  upload_token_origin: { status: 403, meaning: 'The upload token is not for pages of this origin.' },
  embed_token_invalid: { status: 403, meaning: 'The link to the player is not valid for this video.' },
  not_found: { status: 404, meaning: 'There is no such record, or it belongs to another user.' },
  no_such_route: { status: 404, meaning: 'The API has no such path.' },
  method_not_allowed: { status: 405, meaning: 'The path exists, but not with this method. `Allow` lists the methods.' },
  request_timeout: { status: 408, meaning: 'The request did not arrive in time. Send it again.' },
  captions_exist: { status: 409, meaning: 'The video has captions of this language. `replace` replaces them.' },
  concurrent_change: { status: 409, meaning: 'Another request changed the record at the same time. Send it again.' },
  idempotency_in_progress: {
    status: 409,
    meaning: 'The first request with this `Idempotency-Key` is not finished yet.',
  },
  delivery_in_progress: {
    status: 409,
    meaning: 'The files of the video are being copied to this path of the storage, or to too many at a time.',
  },
  image_in_use: { status: 409, meaning: 'Templates use the image. Change or delete them first.' },
  last_administrator: { status: 409, meaning: 'The service would have no administrator any more.' },
  lease_over: { status: 409, meaning: 'The worker no longer has this lease: another attempt may have it.' },
  node_active: { status: 409, meaning: 'The step would interrupt an active node. Run the step `drain` first.' },
  node_busy: { status: 409, meaning: 'A step of the node is running, or the node is being drained or deleted.' },
  node_not_active: { status: 409, meaning: 'Only an active node can be drained.' },
  node_step_missing: { status: 409, meaning: 'An earlier step of the node has to run first.' },
  output_not_failed: { status: 409, meaning: 'Only a failed output can be deleted.' },
  own_account: { status: 409, meaning: 'You cannot delete your own account.' },
  poster_in_progress: { status: 409, meaning: 'Another poster of the video is being made.' },
  source_deleted: { status: 409, meaning: 'The uploaded file of the video is deleted, which this needs.' },
  ssh_key_in_use: { status: 409, meaning: 'Nodes use the SSH key.' },
  storage_in_use: { status: 409, meaning: 'Templates, deliveries or ingests use the storage. End them first.' },
  ingest_batch_limit: {
    status: 409,
    meaning:
      'The keys of as many batches of ingests as allowed are being listed. Wait until one has ended, or cancel one.',
  },
  storage_limit: { status: 409, meaning: 'The user has as many storages as allowed. Delete one first.' },
  stream_in_progress: { status: 409, meaning: 'The stream is being encoded.' },
  stream_is_original: { status: 409, meaning: 'The original can only be deleted with its video.' },
  stream_required: { status: 409, meaning: 'An output of the video has no other stream of this type.' },
  streams_changed: { status: 409, meaning: 'Streams of a failed output were changed. `force` discards the changes.' },
  template_in_use: { status: 409, meaning: 'Videos, uploads or upload tokens use the template.' },
  token_limit: { status: 409, meaning: 'The user has as many tokens as allowed. Delete one first.' },
  transcript_search_unavailable: { status: 409, meaning: 'The service does not search captions.' },
  transcription_unavailable: { status: 409, meaning: 'The service has no model of speech to make captions with.' },
  upload_complete: { status: 409, meaning: 'The upload is complete, or is being completed.' },
  upload_other_way: { status: 409, meaning: 'The upload of this token was begun as a form, or as a multipart upload.' },
  upload_size_unknown: { status: 409, meaning: 'The upload needs a declared size. Create it again with `size`.' },
  user_has_videos: { status: 409, meaning: 'The user has videos, which have to be deleted or given away first.' },
  video_deleted: { status: 409, meaning: 'The video that the upload is for was deleted. Abort the upload.' },
  video_in_progress: { status: 409, meaning: 'The video or one of its streams is being processed.' },
  video_not_completed: { status: 409, meaning: 'The video is not completed. This is possible when it is.' },
  webhook_inactive: { status: 409, meaning: 'The webhook is switched off.' },
  embed_token_expired: { status: 410, meaning: 'The link to the player has expired.' },
  body_too_large: { status: 413, meaning: 'The body of the request is too large.' },
  file_too_large: { status: 413, meaning: 'The file is over 5 TiB, or over the `max_bytes` of its upload token.' },
  target_too_long: { status: 414, meaning: 'The path and query of the request are too long.' },
  unsupported_media_type: { status: 415, meaning: 'The operation does not take bodies of this content type.' },
  csrf_mismatch: { status: 419, meaning: 'A request with the session cookie came from a page of another site.' },
  validation_failed: { status: 422, meaning: 'Fields are wrong. `errors` and `codes` say which, and why.' },
  idempotency_key_reused: { status: 422, meaning: 'The `Idempotency-Key` belongs to another request. Send a new one.' },
  too_many_requests: { status: 429, meaning: 'A rate limit is reached. `Retry-After` has the seconds to wait.' },
  headers_too_large: { status: 431, meaning: 'The headers of the request are too large, or too many.' },
  internal_error: { status: 500, meaning: 'The service failed. Its log has the reason beside the `request_id`.' },
  format_not_supported: { status: 501, meaning: 'The service has no response in this format.' },
  node_unreachable: { status: 502, meaning: 'SSH to the node failed or timed out, or its host key has changed.' },
  no_proxy: { status: 503, meaning: 'No proxy node is active, so the video has no addresses for playback.' },
  not_set_up: { status: 503, meaning: 'The service has no administrator yet.' },
  request_too_slow: { status: 503, meaning: 'The request took too long. It may have been carried out.' },
  service_unavailable: { status: 503, meaning: 'A dependency is unavailable, or the service has too much to do.' },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type ErrorCode = keyof typeof errorCodes;

type Statuses = typeof errorCodes;

/** The codes of a status. */
export type CodeOf<Status extends number> = {
  [Code in ErrorCode]: Statuses[Code]['status'] extends Status ? Code : never;
}[ErrorCode];
