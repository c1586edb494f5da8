import * as fc from 'fast-check';

export type Target<Client> = { name: string; client: Client };
/** What a target answered: a result, or the name of an error with what comes with it. */
export type Outcome = { result?: unknown; error?: string };
export type Difference<Request> = {
  sequence: Request[];
  of: Request;
  outcomes: Record<string, Outcome>;
  signature: string;
};

/** How the requests to a service are made, sent and compared. */
export type Service<Client, Request> = {
  sequence: fc.Arbitrary<Request[]>;
  /** What is sent after each sequence, to compare what is stored. */
  last: Request[];
  nameOf(request: Request): string;
  /** Removes what the sequence before has stored. */
  clear(client: Client): Promise<void>;
  send(client: Client, request: Request): Promise<Outcome>;
  /** Whether the difference of a reference is in `embedded-aws/docs/conformance.md`. */
  isKnown(reference: string, request: Request, outcomes: { ours: Outcome; theirs: Outcome }): boolean;
};

type Options<Client, Request> = {
  service: Service<Client, Request>;
  /**
   * The targets of sequences that run at the same time, which share nothing that the requests change. The first target
   * of a lane is compared with each of its others.
   */
  lanes: Target<Client>[][];
  /** Of all lanes together. */
  sequences: number;
  seed: number;
  report: (difference: Difference<Request>) => void;
};

const same = (one: Outcome, other: Outcome): boolean => JSON.stringify(one) === JSON.stringify(other);
const kindOf = ({ error }: Outcome): string => error ?? 'a result';

/** Sends the requests to all targets. @returns the first difference from the first target that is not known */
async function firstDifference<Client, Request>(
  service: Service<Client, Request>,
  targets: Target<Client>[],
  sequence: Request[],
): Promise<Difference<Request> | undefined> {
  await Promise.all(targets.map(({ client }) => service.clear(client)));
  for (const of of [...sequence, ...service.last]) {
    const all = await Promise.all(targets.map(({ client }) => service.send(client, of)));
    const [ours, ...theirs] = all as [Outcome, ...Outcome[]];
    const differing = theirs.flatMap((outcome, index) =>
      same(ours, outcome) ? [] : [{ name: targets[index + 1]!.name, outcome }],
    );
    if (differing.length === 0) continue;
    const unknown = differing.filter(({ name, outcome }) => !service.isKnown(name, of, { ours, theirs: outcome }));
    // From here on, the states of the targets may differ.
    if (unknown.length === 0) return undefined;
    const others = unknown.map(({ name, outcome }) => `${name} ${kindOf(outcome)}`);
    return {
      sequence,
      of,
      outcomes: Object.fromEntries(targets.map(({ name }, index) => [name, all[index]!])),
      signature: `${service.nameOf(of)}: ${kindOf(ours)}, ${others}`,
    };
  }
  return undefined;
}

/** Finds differences of the first targets from the others, and reduces each to few requests. @returns their number */
export async function compare<Client, Request>(options: Options<Client, Request>): Promise<number> {
  const { lanes, sequences, seed } = options;
  const reported = new Set<string>();
  await Promise.all(
    lanes.map((targets, lane) => {
      const share = Math.floor((sequences + lane) / lanes.length);
      // Seeds of a lane are this one and the `share` after it.
      return compareInLane(options, { targets, sequences: share, seed: seed + lane * sequences, reported });
    }),
  );
  return reported.size;
}

type Lane<Client> = { targets: Target<Client>[]; sequences: number; seed: number; reported: Set<string> };

async function compareInLane<Client, Request>(
  { service, report }: Options<Client, Request>,
  { targets, sequences, seed, reported }: Lane<Client>,
): Promise<void> {
  for (let left = sequences; left > 0; ) {
    let found: Difference<Request> | undefined;
    const property = fc.asyncProperty(service.sequence, async (sequence) => {
      const difference = await firstDifference(service, targets, sequence);
      if (!difference || reported.has(difference.signature)) return true;
      if (found && found.signature !== difference.signature) return true;
      found = difference;
      return false;
    });
    const run = await fc.check(property, { numRuns: left, seed: seed + left, endOnFailure: false });
    // A target that failed has not been compared.
    if (run.failed && !found) throw run.errorInstance;
    left -= run.numRuns;
    if (!found || reported.has(found.signature)) continue;
    reported.add(found.signature);
    report(found);
  }
}
