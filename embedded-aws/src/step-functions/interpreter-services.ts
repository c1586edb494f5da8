import type { Clock } from '../durable/clock.ts';
import type { InterpreterServices } from './interpreter/interpreter-context.ts';
import { createTaskTokens } from './interpreter/task-tokens.ts';
import { writeMapInputs } from './journal/child-inputs.ts';
import { openJournal } from './journal/journal-file.ts';
import { mapRunJournal } from './journal/load-execution.ts';
import { runFlow } from './run-flow.ts';
import type { StepFunctionsOptions } from './step-functions-options.ts';

/** Creates what the interpreter needs from the options. */
export function createInterpreterServices(
  options: StepFunctionsOptions,
  clock: Clock,
  tokenKey: Uint8Array,
): InterpreterServices {
  const { region, accountId, invokeLambda, readObject, writeObject, listObjects } = options;
  return {
    region,
    roleArn: `arn:aws:iam::${accountId}:role/states`,
    clock,
    random: options.random ?? Math.random,
    tokens: createTaskTokens(tokenKey),
    invokeLambda,
    enqueueLambda: options.enqueueLambda ?? (() => refuseTask('lambda:invoke with InvocationType Event')),
    readObject,
    writeObject,
    listObjects,
    startTask: options.startTask ?? refuseTask,
    authorizeMapRun: options.authorizeMapRun ?? (() => {}),
    saveMapInputs: ({ folder }, mapRunId, inputs) => writeMapInputs(folder, mapRunId, inputs),
    openMapRun: ({ folder }, { id }, inputs) => ({
      journal: openJournal(mapRunJournal(folder, id)),
      inputs,
      results: [],
      running: new Map(),
    }),
    runFlow,
    meter: options.meter,
    report: options.onError ?? ((error) => process.emitWarning(error instanceof Error ? error : String(error))),
  };
}

async function refuseTask(api: string): Promise<never> {
  throw Object.assign(new Error(`The integration ${api} is not supported.`), { name: 'States.TaskFailed' });
}
