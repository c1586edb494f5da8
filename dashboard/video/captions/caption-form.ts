import type { components } from '../../../client/api-types.ts';
import { text } from '../../messages/messages.ts';

export type Caption = components['schemas']['Caption'];
export type CaptionKind = Caption['kind'];

export const captionKinds: readonly CaptionKind[] = ['captions', 'subtitles', 'forced', 'chapters'];

/** Two captions may have the same label. */
export const nameOf = ({ label, kind }: Caption): string => `${label}, ${text.value.captions.kinds[kind]}`;

/** What a user enters. The file is chosen apart. */
export type CaptionForm = { language: string; kind: CaptionKind; label: string; isDefault: boolean };

/** The name of captions from speech says that nobody wrote them, which is not so any more when a user stores them. */
export const formOf = (caption?: Caption): CaptionForm => ({
  language: caption?.language ?? '',
  kind: caption?.kind ?? 'captions',
  label: caption === undefined || caption.origin === 'generated' ? '' : caption.label,
  isDefault: caption?.default ?? false,
});

/** The path and the query of the call that stores captions. Chapters are never shown by default. */
export function paramsOf(ulid: string, { language, kind, label, isDefault }: CaptionForm) {
  const shown = label.trim();
  return {
    path: { ulid, language: language.trim() },
    query: { kind, ...(shown !== '' && { label: shown }), default: isDefault && kind !== 'chapters' },
  };
}

/** What a request for captions from speech has. Without a language, the service detects it. */
export const generationOf = (language: string, isReplacing: boolean) => ({
  ...(language.trim() !== '' && { language: language.trim() }),
  ...(isReplacing && { replace: true }),
});

/** Whether it is still being made of speech. */
export const isPending = ({ status }: Pick<Caption, 'status'>): boolean => status === 'pending';

export const captionFileTypes = '.vtt,.srt,text/vtt,application/x-subrip';

/** WebVTT is always UTF-8. A file in UTF-16 is accepted as SubRip only, which is also read as WebVTT. */
export async function mediaTypeOf(file: File): Promise<'text/vtt' | 'application/x-subrip'> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return isUtf16 || !/\.vtt$/i.test(file.name) ? 'application/x-subrip' : 'text/vtt';
}

/** The language in the name of a file, such as `film.pt-BR.srt`; undefined when there is none. */
export function languageInName(fileName: string): string | undefined {
  const tag = /[._-]([a-z]{2}(?:-[A-Z]{2})?)\.[a-z]+$/.exec(fileName)?.[1];
  return tag;
}
