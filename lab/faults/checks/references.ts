import type { Client } from '../../../test/journey/support/client.ts';
import type { StartedVideo, TemplateName } from '../injected/fault.ts';
import type { RestartableService } from '../service/restartable-service.ts';
import { templates } from '../templates.ts';
import { type Decoded, decodedFrames, type Fingerprint, fingerprint } from './fingerprint.ts';
import type { Stored } from './invariants.ts';
import { unownedObjects } from './object-owners.ts';

export type Reference = { prints: Fingerprint; decoded: Decoded };
export type References = Partial<Record<TemplateName, Reference>>;
export type MadeVideo = StartedVideo & { client: Client };

/** The result of each template for the clip without faults. */
export async function takeReferences(
  service: RestartableService,
  videos: readonly MadeVideo[],
  stored: Stored,
): Promise<References> {
  const references = await Promise.all(
    videos.map(async ({ template, ulid, client }) => [
      template,
      { prints: await printsOf(service, ulid, stored), decoded: await decodedFrames(client, ulid) },
    ]),
  );
  return Object.fromEntries(references);
}

/** Differences between a completed video and an undisturbed one. Bytes may differ if all decoded frames are equal. */
export async function differences(
  service: RestartableService,
  { ulid, template, client, mayLack }: MadeVideo,
  references: References,
  stored: Stored,
): Promise<string[]> {
  const reference = references[template];
  if (!reference) return [];
  const { prints: wanted, decoded } = reference;
  const prints = await printsOf(service, ulid, stored);
  const needs = (name: string): boolean => !mayLack?.test(name);
  const missing = [...wanted.keys()].filter((name) => needs(name) && !prints.has(name));
  const extra = [...prints.keys()].filter((name) => !wanted.has(name));
  if (missing.length + extra.length > 0) return [`${ulid} lacks the files [${missing}] and has [${extra}] besides`];
  const others = [...wanted].filter(([name, hash]) => needs(name) && prints.get(name) !== hash).map(([name]) => name);
  if (others.length === 0) return [];
  const shown = await decodedFrames(client, ulid);
  return Object.keys(decoded)
    .filter((format) => needs(format) && shown[format] !== decoded[format])
    .map((format) => `${ulid} shows other frames as ${format}; these files differ: ${others}`);
}

const printsOf = (
  { account }: RestartableService,
  ulid: string,
  { items, objectKeys }: Stored,
): Promise<Fingerprint> => {
  const all = objectKeys.filter((key) => key.startsWith(`videos/${ulid}/`));
  const leftOver = new Set(unownedObjects(items, all, { strictly: true }));
  return fingerprint(
    account,
    ulid,
    all.filter((key) => !leftOver.has(key)),
  );
};

export const templateNames = Object.keys(templates) as TemplateName[];
