import { maxMetaBytes, type ProbeDocument, type ProbeStream } from '../../shared/protocol/probe-document.ts';

/** A picture that belongs to the file, such as of an album. */
export const isCoverArt = (stream: ProbeStream): boolean => stream.disposition?.attached_pic === 1;

/** The document as it may be shown to the uploader: known fields only, and as many streams as fit. */
export function publicMeta(document: ProbeDocument): ProbeDocument {
  const streams = [...document.streams];
  while (Buffer.byteLength(JSON.stringify({ ...document, streams })) > maxMetaBytes) streams.pop();
  return { format: document.format, streams };
}
