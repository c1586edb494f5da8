import * as z from 'zod';
import { isAudioCodec } from '../../shared/media/codecs.ts';
import { audioFields, streamFields, videoFields } from './query-structure.ts';
import { codecIssues, type QueryIssue } from './stream-rules.ts';

/**
 * stream.input_params of a request: the keys of one video or audio stream, all optional. Keys of the other kind are
 * refused.
 */
export const inputParamsSchema = z
  .strictObject(z.object({ ...streamFields, ...videoFields, ...audioFields }).partial().shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `Remove ${issue.keys.join(', ')}: not a key of a stream.`
        : 'Give an object.',
  })
  .superRefine((params, context) => {
    const { codec } = params;
    if (codec === undefined) return;
    const issues = isAudioCodec(codec)
      ? foreignKeys(params, videoFields, codec)
      : [...foreignKeys(params, audioFields, codec), ...codecIssues({ ...params, codec })];
    for (const { path, message } of issues) context.addIssue({ code: 'custom', path, message });
  })
  .meta({ id: 'InputParams', description: 'How one stream is encoded. The keys are those of a template.' });
export type InputParams = z.output<typeof inputParamsSchema>;

const foreignKeys = (params: object, fields: object, codec: string): QueryIssue[] =>
  Object.keys(fields)
    .filter((key) => Object.hasOwn(params, key))
    .map((key) => ({ path: [key], message: `Leave ${key} out: it does not apply to ${codec}.` }));
