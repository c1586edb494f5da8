import { maxMetaBytes, type ProbeDocument, type ProbeStream } from '../../shared/protocol/probe-document.ts';

/** An attached image, such as an album cover. */
export const isCoverArt = (stream: ProbeStream): boolean => stream.disposition?.attached_pic === 1;

/** The document for the API: known fields only, and as many streams as fit. */
export function publicMeta(document: ProbeDocument): ProbeDocument {
  const streams = document.streams.map(withoutNames);
  while (Buffer.byteLength(JSON.stringify({ ...document, streams })) > maxMetaBytes) streams.pop();
  return { format: document.format, streams };
}

/** Names can hold any text. */
const withoutNames = ({ tags, ...stream }: ProbeStream): ProbeStream => {
  const { title: _, handler_name: __, ...others } = tags ?? {};
  return tags ? { ...stream, tags: others } : stream;
};
