import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import * as sdk from '@aws-sdk/client-sfn';
import { runStateMachine } from 'embedded-aws/testing';
import type { Outcome, Service } from './compare.ts';
import { isKnownStateMachine } from './known-differences.ts';
import { input, type Machine, machines } from './state-machines.ts';

/** Runs a machine to its end. */
export type Runner = (
  definition: object,
) => Promise<Partial<Record<'status' | 'output' | 'error', string | undefined>>>;

export const embeddedRunner: Runner = (definition) => runStateMachine(definition, input);

const roleArn = 'arn:aws:iam::000000000000:role/states';

/** Runs machines on a server. */
export const runnerAt =
  (sfn: sdk.SFNClient): Runner =>
  async (definition) => {
    const create = { name: randomUUID(), roleArn, definition: JSON.stringify(definition) };
    const { stateMachineArn } = await sfn.send(new sdk.CreateStateMachineCommand(create));
    const start = { stateMachineArn, input: JSON.stringify(input) };
    const { executionArn } = await sfn.send(new sdk.StartExecutionCommand(start));
    for (;;) {
      const end = await sfn.send(new sdk.DescribeExecutionCommand({ executionArn }));
      if (end.status !== 'RUNNING') {
        await sfn.send(new sdk.DeleteStateMachineCommand({ stateMachineArn }));
        return end;
      }
      await sleep(50);
    }
  };

/** Causes are texts for people, so they are not compared. */
async function send(run: Runner, machine: Machine): Promise<Outcome> {
  const { status, output, error } = await run({ QueryLanguage: 'JSONata', ...machine });
  if (status === 'SUCCEEDED') return { result: withSortedMembers(JSON.parse(output ?? 'null')) };
  return { error: `${status} ${error ?? ''}` };
}

function withSortedMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedMembers);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, one]) => [name, withSortedMembers(one)]));
}

export const stateMachines: Service<Runner, Machine> = {
  sequence: machines.map((machine) => [machine]),
  last: [],
  nameOf: () => 'state machine',
  clear: async () => {},
  send,
  isKnown: isKnownStateMachine,
};
