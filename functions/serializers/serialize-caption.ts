import { defaultCaption } from '../packaging/captions/text-renditions.ts';
import type { Caption } from '../table/records.ts';

/** A text track as the API shows it, without its URL. `all` are those of the video, of which one is the default. */
export const serializeCaption = (caption: Caption, all: readonly Caption[]) => ({
  ulid: caption.ulid,
  language: caption.language,
  kind: caption.kind,
  label: caption.label,
  default: defaultCaption(all)?.ulid === caption.ulid,
  origin: caption.status === 'pending' ? ('generated' as const) : caption.origin,
  status: caption.status,
  error: caption.error,
});
