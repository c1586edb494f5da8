import * as z from 'zod';
import { normalizeText } from '../../shared/captions/cue-text.ts';
import { maxChapters, maxTrackTitleLength } from '../../shared/protocol/text-tracks.ts';
import type { TimedText } from './cue-collector.ts';
import { escapeText } from './escape-text.ts';

const seconds = z.string().transform(Number).pipe(z.number());
const chapterSchema = z.object({
  start_time: seconds,
  end_time: seconds.optional().catch(undefined),
  tags: z
    .object({ title: z.string().optional().catch(undefined) })
    .optional()
    .catch(undefined),
});
const documentSchema = z.object({ chapters: z.array(z.unknown()) });

/**
 * The chapters in the output of `listChaptersArgs`. A chapter without a title is named by its number. Each lasts until
 * the next one starts, because players show a gap as no chapter.
 */
export function readChapters(document: unknown): TimedText[] {
  const { data } = documentSchema.safeParse(document);
  const chapters = (data?.chapters ?? []).slice(0, maxChapters).flatMap((chapter) => {
    const parsed = chapterSchema.safeParse(chapter);
    return parsed.success ? [parsed.data] : [];
  });
  chapters.sort((a, b) => a.start_time - b.start_time);
  return chapters.map(({ start_time, end_time, tags }, index) => {
    const endSeconds = chapters[index + 1]?.start_time ?? end_time;
    const durationSeconds = endSeconds === undefined ? null : endSeconds - start_time;
    return {
      startSeconds: start_time,
      durationSeconds: durationSeconds !== null && durationSeconds > 0 ? durationSeconds : null,
      text: titleText(tags?.title) || `Chapter ${index + 1}`,
    };
  });
}

const titleText = (title = ''): string =>
  normalizeText(escapeText(title.replace(/\s+/g, ' ').trim().slice(0, maxTrackTitleLength).toWellFormed()), 'vtt');
