import * as z from 'zod';
import { wordsOf } from '../../common/name-words.ts';
import { videoStatuses } from '../statuses.ts';
import { tags } from './description-fields.ts';
import { integerBetween, publishedAs, queryInteger, text } from './fields.ts';
import { queryInstant } from './instant.ts';
import { cursorInput } from './paging.ts';

const filters = {
  status: z.enum(videoStatuses).optional(),
  template_id: queryInteger(1).optional(),
  external_user_id: z
    .union([z.literal(''), text(255)])
    .optional()
    .meta(publishedAs({ type: 'string', maxLength: 255, description: 'Empty: videos without one.' })),
  tag: tags.optional().meta({ description: 'A video must have all of them. Repeat the parameter for several.' }),
  created_from: queryInstant('start').optional(),
  created_to: queryInstant('end').optional(),
  in: z.enum(['transcript']).optional().meta({
    description:
      'With q: its words may be those of captions too. A word of captions is found by three or more of its characters. Needs the setting transcriptSearch of the service.',
  }),
  q: text(255)
    .transform(wordsOf)
    .refine((words) => words.length > 0, { error: 'The q field must have a letter or a digit.' })
    .optional()
    .meta(
      publishedAs({
        type: 'string',
        maxLength: 255,
        description:
          'The beginning of a word of the name; of several words, each. Case and accents make no difference. A name is found by its first 16 words.',
      }),
    ),
};

/** The filters of a list of videos. A list with a filter or a cursor has no numbered pages. */
export const videoListQuery = z
  .object({
    page: queryInteger(1)
      .optional()
      .meta(publishedAs({ ...integerBetween(1), default: 1, description: 'Not with a filter or a cursor.' })),
    per_page: queryInteger(1, 100)
      .default(15)
      .meta(publishedAs({ ...integerBetween(1, 100), default: 15 })),
    cursor: cursorInput(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/),
    ...filters,
    user_id: queryInteger(1).optional().meta({ description: 'Administrators only: list this user instead.' }),
  })
  .superRefine((query, context) => {
    if (query.page !== undefined && isFiltered(query)) {
      const message = 'The page field cannot be used together with a filter or cursor. Use cursor.';
      context.addIssue({ code: 'custom', path: ['page'], message });
    }
    if (query.in !== undefined && query.q === undefined) {
      const message = 'The in field says where the words of q are searched: it needs the q field.';
      context.addIssue({ code: 'custom', path: ['in'], message });
    }
    const { created_from = 0, created_to = Number.POSITIVE_INFINITY } = query;
    if (created_to < created_from) {
      const message = 'The created to field must be a date after or equal to created from.';
      context.addIssue({ code: 'custom', path: ['created_to'], message });
    }
  });

/** Whether a list of videos has a filter or a cursor. */
export const isFiltered = (query: Partial<Record<keyof typeof filters | 'cursor', unknown>>): boolean =>
  [...Object.keys(filters), 'cursor'].some((name) => query[name as keyof typeof query] !== undefined);
