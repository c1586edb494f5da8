import { setTimeout as sleep } from 'node:timers/promises';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Client } from '../../../test/journey/support/client.ts';
import { edgeReached } from '../checks/execution-journals.ts';
import type { JobItem } from '../checks/table-records.ts';
import type { Random } from '../random.ts';
import { patiently } from '../service/patiently.ts';
import type { RestartableService } from '../service/restartable-service.ts';
import type { CustomerStorage } from '../store/customer-storage.ts';
import type { EventWatch } from '../watched/event-watch.ts';
import type { PlaybackWatch } from '../watched/playback-watch.ts';
import type { EncoderProcess, FaultContext, StartedVideo, TemplateName } from './fault.ts';
import { MomentMissed } from './moment-missed.ts';

const longestMs = 180_000;
const lookEveryMs = 20;
/** More than the maximum duration of a fault. */
const longestVideoMs = 360_000;

/** A user who owns the templates. */
export type Owner = { client: Client; templates: Record<TemplateName, string> };

export type ContextOptions = {
  service: RestartableService;
  owner: Owner;
  random: Random;
  folder: string;
  clips: Record<TemplateName, string>;
  storage: CustomerStorage;
  events: EventWatch;
  playbackOf(video: StartedVideo): PlaybackWatch;
  onStarted(video: StartedVideo): void;
  note(text: string): void;
};

export function faultContext(options: ContextOptions): FaultContext {
  const { service, owner, random, folder, clips, storage, events, playbackOf, onStarted, note } = options;
  return {
    storage,
    events,
    playbackOf,
    service,
    client: owner.client,
    random,
    folder,
    note,
    async startVideo({ template = 'quick', ends = 'completed', mayLack, mayNotDeliver } = {}) {
      const ulid = await owner.client.upload({
        file: clips[template],
        template: owner.templates[template],
        partBytes: 16 * 2 ** 20,
      });
      const video = { ulid, template, ends, mayLack, mayNotDeliver };
      onStarted(video);
      return video;
    },
    async untilDone({ ulid }) {
      await owner.client.waitUntilDone(ulid, { atMostMs: longestVideoMs });
    },
    stateReached: ({ ulid }, edge) => edgeReached(service.dataFolder, ulid, edge),
    encodersOf: ({ ulid }) => encodersOf(service, ulid),
    async encoderOf({ ulid }) {
      const endMs = Date.now() + longestMs;
      while (Date.now() < endMs) {
        const [encoder] = await encodersOf(service, ulid);
        if (encoder) return encoder;
        await sleep(lookEveryMs);
      }
      throw new MomentMissed(`no worker encodes ${ulid}`);
    },
  };
}

async function encodersOf(service: RestartableService, videoUlid: string): Promise<EncoderProcess[]> {
  const { workers, encoders } = await service.processes();
  if (encoders.length === 0) return [];
  const holders = new Set(await holdersOf(service, videoUlid));
  const own = new Set(workers.filter(({ name }) => holders.has(name)).map(({ pid }) => pid));
  return encoders.filter(({ worker }) => own.has(worker)).map(({ pid, worker }) => ({ encoder: pid, worker }));
}

/** Names of the workers that encode chunks of a video. */
async function holdersOf({ account }: RestartableService, videoUlid: string): Promise<string[]> {
  const query = new QueryCommand({
    TableName: account.bucket,
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :jobs AND begins_with(sk, :kind)',
    ExpressionAttributeValues: { ':jobs': `JOBS#${videoUlid}#1`, ':kind': 'encode-video#' },
  });
  const { Items = [] } = await patiently(() => account.table.send(query));
  return (Items as JobItem[]).filter(({ status }) => status === 'LEASED').map(({ worker }) => String(worker));
}
