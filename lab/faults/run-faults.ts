import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePorts } from '../../test/fixtures/servers/find-free-ports.ts';
import { signUp, type Video } from '../../test/journey/support/client.ts';
import { processesOf } from '../../test/journey/support/processes.ts';
import { afterFaults } from './checks/after-faults.ts';
import { readStored } from './checks/invariants.ts';
import { type MadeVideo, takeReferences, templateNames } from './checks/references.ts';
import { type Clips, makeClips } from './clips.ts';
import type { Fault, FaultSet } from './injected/fault.ts';
import { faultContext, type Owner } from './injected/fault-context.ts';
import { MomentMissed } from './injected/moment-missed.ts';
import { type Prepared, prepareSets } from './prepare-sets.ts';
import { createRandom } from './random.ts';
import { schedule } from './schedule.ts';
import { patientFetch } from './service/patient-fetch.ts';
import { type RestartableService, startRestartable } from './service/restartable-service.ts';
import { untilFewUnderWay } from './service/settle.ts';
import { type CustomerStorage, openCustomerStorage } from './store/customer-storage.ts';
import { type FaultLine, lineOf, summary } from './tally.ts';
import { comparedTemplates, deliveredExtras, templates } from './templates.ts';
import { openWatches, type Watches } from './watched/watches.ts';

export type FaultsOptions = {
  sets: readonly FaultSet[];
  count: number;
  seed: number;
  /** Number of concurrent faults. */
  lanes?: number;
  /** Position in the schedule of the only fault to run. */
  only?: number | undefined;
  /** No fault begins later than this after the first. */
  maxMinutes?: number | undefined;
  /** Part of the names of the faults to choose from. */
  named?: RegExp | undefined;
  /** Turns on the rare behaviours of the embedded AWS. */
  chaos?: boolean;
  /** Includes faults that take minutes. */
  slowToo?: boolean;
  print: (line: string) => void;
  /** Receives a function that stops the service and removes its files early. */
  onStarted?: (stop: () => Promise<void>) => void;
};

/** After this time the moment of a fault is missed. */
const injectionMs = 300_000;
const undisturbedMs = 600_000;

export type FaultsReport = {
  /** violated invariants, each a sentence */
  violations: string[];
  /** faults whose moment did not occur */
  missed: number;
};

/** Starts a separate service, injects faults and checks what is left. */
export async function runFaults(options: FaultsOptions): Promise<FaultsReport> {
  const folder = await mkdtemp(join(tmpdir(), 'faults-'));
  const prepared = await prepareSets(options.sets, folder);
  const clips = await makeClips(folder);
  const workers = String(Math.max(3, availableParallelism()));
  const env = { ...prepared.env, WORKERS: workers, CHAOS: options.chaos ? 'on' : 'off' };
  const crashes: string[] = [];
  const onCrash = (text: string): void => {
    options.print(text);
    crashes.push(text);
  };
  const service = await startRestartable({
    dataFolder: join(folder, 'data'),
    port: await findFreePorts(),
    env,
    onCrash,
  });
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  options.onStarted?.(() => service.stop().then(remove));
  let isSound = false;
  try {
    const { violations, missed } = await runOver(service, { ...options, clips, folderOf: prepared.folderOf });
    await service.stop();
    const left = await processesOf(folder);
    violations.push(...crashes, ...left.map(({ pid, command }) => `the process ${pid} is left: ${command}`));
    isSound = violations.length === 0;
    return { violations, missed };
  } finally {
    await service.stop();
    if (isSound) await remove();
    else options.print(`what is stored is kept in ${folder}`);
  }
}

type Run = FaultsOptions & { clips: Clips; folderOf: Prepared['folderOf'] };
type Watched = Run & { watches: Watches; storage: CustomerStorage };

async function runOver(service: RestartableService, run: Run): Promise<FaultsReport> {
  const [watches, storage] = await Promise.all([openWatches(service), openCustomerStorage()]);
  try {
    return await runWatched(service, { ...run, watches, storage });
  } finally {
    await Promise.all([watches.close(), storage.close()]);
  }
}

async function runWatched(service: RestartableService, run: Watched): Promise<FaultsReport> {
  const { print, lanes = 4, clips, seed, watches, storage } = run;
  const owners = await Promise.all(
    Array.from({ length: lanes }, (_, lane) => createOwner(service, run, `owner-${lane}/`)),
  );
  const videos = await makeUndisturbed(owners[0]!, clips);
  const references = await takeReferences(service, videos, await readStored(service.account));
  print(`service ${service.apiUrl}, data ${service.dataFolder}`);

  const lines: FaultLine[] = [];
  const due = dueFaults(run);
  const lastStartMs = Date.now() + (run.maxMinutes ?? Number.POSITIVE_INFINITY) * 60_000;
  const work = async (owner: Owner): Promise<void> => {
    for (let next = due.shift(); next && Date.now() < lastStartMs; next = due.shift()) {
      const { fault, position, folder } = next;
      await untilFewUnderWay(service.account, videos, 2 * lanes);
      const { name } = fault;
      const notes: string[] = [];
      const own: MadeVideo[] = [];
      const context = faultContext({
        service,
        owner,
        clips,
        folder,
        random: createRandom(seed * 1_000_003 + position),
        storage,
        events: watches.events,
        playbackOf: watches.playbackOf,
        onStarted(video) {
          watches.watchVideo(video, owner.client);
          own.push({ ...video, client: owner.client });
          videos.push(own.at(-1)!);
        },
        note: (text) => notes.push(text),
      });
      const startedMs = Date.now();
      const outcome = await outcomeOf(() => fault.inject(context));
      // The fault did not happen, so its videos need not end as it expected.
      if (outcome.missed) for (const video of own) video.ends = video.template === 'refused' ? 'any' : 'settled';
      lines.push({ name, position, notes, ...outcome, seconds: (Date.now() - startedMs) / 1000 });
      print(lineOf(lines.at(-1)!));
    }
  };
  await Promise.all(owners.map(work));

  const after = await afterFaults(service, { started: videos, references, watches, storage });
  const { stored, violations, foundByReconcile, watched } = after;
  const starts = service.starts();
  for (const line of summary({ lines, videos, stored, starts, foundByReconcile })) print(line);
  for (const line of watched) print(line);
  return {
    violations: [...lines.flatMap(failed), ...violations],
    missed: lines.filter(({ missed }) => missed).length,
  };
}

type Due = { fault: Fault; position: number; folder: string };

function dueFaults({ sets, count, seed, only, slowToo, named = /./, folderOf }: Run): Due[] {
  const folders = new Map(sets.flatMap((set) => set.faults.map((fault) => [fault, folderOf(set)])));
  const faults = [...folders.keys()].filter(({ name, slow }) => named.test(name) && (slowToo || !slow));
  const all = schedule(faults, count, seed).map((fault, index) => {
    return { fault, position: index + 1, folder: folders.get(fault)! };
  });
  return only === undefined ? all : all.filter(({ position }) => position === only);
}

async function outcomeOf(act: () => Promise<void>): Promise<Pick<FaultLine, 'failure' | 'missed'>> {
  const late = sleep(injectionMs, undefined, { ref: false }).then(() => {
    throw new MomentMissed('the fault took too long');
  });
  try {
    await Promise.race([act(), late]);
    return { failure: undefined, missed: false };
  } catch (error) {
    const failure = beginningAndEnd(error instanceof Error ? error.message : String(error));
    return { failure, missed: error instanceof MomentMissed };
  }
}

const failed = ({ name, position, failure, missed }: FaultLine): string[] =>
  failure === undefined || missed ? [] : [`fault ${position}, ${name}: ${failure}`];

async function createOwner(
  service: RestartableService,
  { watches: { events }, storage }: Watched,
  prefix: string,
): Promise<Owner> {
  const client = await signUp(service.apiUrl, patientFetch);
  await events.addUser(client);
  const target = await storage.addTo(client, prefix);
  const made = await Promise.all(
    templateNames.map(async (name) => {
      const also = deliveredExtras[name];
      const query = { ...templates[name], ...(also && { deliver: [{ storage: target, also }] }) };
      return [name, await client.makeTemplate(query)] as const;
    }),
  );
  return { client, templates: Object.fromEntries(made) as Owner['templates'] };
}

async function makeUndisturbed({ client, templates }: Owner, clips: Clips) {
  return Promise.all(
    comparedTemplates.map(async (template): Promise<MadeVideo> => {
      const ulid = await client.upload({
        file: clips[template],
        template: templates[template],
        partBytes: 16 * 2 ** 20,
      });
      const isFinal = ({ status }: Video): boolean => status === 'completed' || status === 'failed';
      const { status } = await client.waitFor(ulid, isFinal, { atMostMs: undisturbedMs });
      if (status !== 'completed') throw new Error(`the reference video without faults is ${status}`);
      return { ulid, template, ends: 'completed', client };
    }),
  );
}

/** A service that ended names the reason at the end of its output. */
const beginningAndEnd = (text: string): string =>
  text.length <= 2000 ? text : `${text.slice(0, 500)}\n…\n${text.slice(-1500)}`;
