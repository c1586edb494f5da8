import * as z from 'zod';
import { audioCodecs, isAudioCodec } from '../../../shared/media/codecs.ts';
import { type InputParams, inputParamsSchema } from '../../templates/input-params.ts';
import { atLeastOne, integerId, name } from '../fields/fields.ts';
import { stream, streamType } from '../fields/stream-fields.ts';
import type { RouteDeclaration } from '../route-declaration.ts';

const one = z.object({ data: stream });

const audioChoice = new Intl.ListFormat('en', { type: 'disjunction' }).format(audioCodecs);

/** Why the codec does not suit a stream of this type; undefined when it does. */
export function codecIssue(type: z.infer<typeof streamType>, { codec }: InputParams): string | undefined {
  if (codec === undefined) return 'Give the codec: the other parameters depend on it.';
  if (type === 'audio') return isAudioCodec(codec) ? undefined : `Choose ${audioChoice} for an audio stream.`;
  return isAudioCodec(codec) ? `Choose a video codec for a ${type} stream.` : undefined;
}

const creation = z
  .object({ video_id: integerId, name, type: streamType, input_params: inputParamsSchema })
  .superRefine(({ type, input_params }, context) => {
    if (type === 'original') {
      const message = 'The original is the uploaded file. Choose video, audio or muxed.';
      context.addIssue({ code: 'custom', path: ['type'], message });
      return;
    }
    const message = codecIssue(type, input_params);
    if (message) context.addIssue({ code: 'custom', path: ['input_params', 'codec'], message });
  });

/** Encoding parameters of a request. The response has the actual values for the source. */
const exampleParams = { codec: 'h264', width: 854, height: 480, bitrate: '1400k' };

export const streamRoutes = {
  create: {
    operationId: 'createStream',
    repeats: 'again',
    method: 'POST',
    path: '/api/streams',
    tag: 'Streams',
    summary: 'Add a track to a video',
    description:
      'Encodes one more track from the original of a completed video (409 otherwise). A video or audio stream joins the HLS and DASH outputs, whose manifests are rebuilt and then swapped in; for outputs with other segment lengths additional streams are created. A muxed stream becomes a separate MP4 output with the first audio stream. codec is required in input_params.',
    access: 'user',
    ability: 'videos:write',
    body: creation,
    bodyExample: { video_id: 42, name: '480p', type: 'video', input_params: exampleParams },
    status: 201,
    response: one,
    errors: ['concurrent_change', 'quota_exceeded', 'source_deleted', 'video_not_completed'],
  },
  update: {
    operationId: 'updateStream',
    method: 'PUT',
    path: '/api/streams/{id}',
    tag: 'Streams',
    summary: 'Rename a track or change its parameters',
    description:
      'Fields and input_params that are left out keep their values. width and height are one setting: setting one of them leaves the other free. A new codec resets profile, level and pixel_format. loudness null and two_pass false turn these off. When the parameters change, the track is encoded again (409 while it is being encoded) and the old one plays until then. Not allowed on type original (422).',
    access: 'user',
    ability: 'videos:write',
    body: atLeastOne(z.object({ name: name.optional(), input_params: inputParamsSchema.optional() })),
    bodyExample: { name: 'SD' },
    status: 200,
    response: one,
    errors: [
      'concurrent_change',
      'not_found',
      'quota_exceeded',
      'source_deleted',
      'stream_in_progress',
      'video_not_completed',
    ],
  },
  remove: {
    operationId: 'deleteStream',
    method: 'DELETE',
    path: '/api/streams/{id}',
    tag: 'Streams',
    summary: 'Delete a track',
    description:
      'Manifests of outputs that used it are rewritten. 409 for the original, for a track that is being encoded, and for the only video track of an output. The MP4 output of a muxed stream is deleted too.',
    access: 'user',
    ability: 'videos:write',
    status: 204,
    errors: [
      'concurrent_change',
      'not_found',
      'stream_in_progress',
      'stream_is_original',
      'stream_required',
      'video_not_completed',
    ],
  },
} as const satisfies Record<string, RouteDeclaration>;
