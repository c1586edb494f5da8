import { compileExpression, isExpression } from '../jsonata/jsonata-expression.ts';
import type { Flow, MapState, State, StateMachineDefinition, StateType } from './asl-types.ts';
import { parseResource } from './task-resource.ts';

const COMMON = ['Type', 'Comment', 'QueryLanguage', 'Assign', 'Output'];
const ONWARD = [...COMMON, 'Next', 'End'];
const GUARDED = [...ONWARD, 'Retry', 'Catch', 'Arguments'];
const FIELDS: Record<StateType, string[]> = {
  Pass: ONWARD,
  Wait: [...ONWARD, 'Seconds', 'Timestamp'],
  Succeed: COMMON,
  Fail: ['Type', 'Comment', 'QueryLanguage', 'Error', 'Cause'],
  Choice: [...COMMON, 'Choices', 'Default'],
  Task: [...GUARDED, 'Resource', 'TimeoutSeconds', 'HeartbeatSeconds', 'Credentials'],
  Parallel: [...GUARDED, 'Branches'],
  Map: [
    ...ONWARD,
    'Retry',
    'Catch',
    'ItemProcessor',
    'Items',
    'ItemReader',
    'ItemSelector',
    'ItemBatcher',
    'ResultWriter',
    'MaxConcurrency',
    'ToleratedFailurePercentage',
    'ToleratedFailureCount',
    'Label',
  ],
};
// https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html
const MAX_DEFINITION_BYTES = 1024 * 1024;
const MAX_NAME_CHARACTERS = 80;

const READERS = /^arn:[\w-]+:states:::s3:(getObject|listObjectsV2)$/;
const WRITERS = /^arn:[\w-]+:states:::s3:putObject$/;

/**
 * Parses a definition.
 * @throws Error that names the place of anything that the interpreter does not support: another query language, an
 * unknown field, a missing target state, or an expression with a syntax error
 */
export function parseDefinition(text: string): StateMachineDefinition {
  if (Buffer.byteLength(text) > MAX_DEFINITION_BYTES) fail('', `it has more than ${MAX_DEFINITION_BYTES} bytes`);
  const machine: StateMachineDefinition = JSON.parse(text);
  if (machine.QueryLanguage !== 'JSONata') throw new Error('QueryLanguage must be JSONata');
  checkFlow(machine, '', new Set());
  return machine;
}

function checkFlow(flow: Flow, place: string, outerVariables: Set<string>): void {
  const variables = new Set(outerVariables);
  for (const [name, state] of Object.entries(flow.States ?? {})) {
    for (const variable of assignedIn(state)) {
      if (outerVariables.has(variable))
        fail(`${place}/${name}`, `the variable ${variable} is already assigned in an enclosing flow`);
      variables.add(variable);
    }
  }
  if (!flow.States?.[flow.StartAt]) fail(place, `StartAt is not the name of a state: ${flow.StartAt}`);
  for (const [name, state] of Object.entries(flow.States)) {
    if (name.length > MAX_NAME_CHARACTERS)
      fail(`${place}/${name}`, `a name has at most ${MAX_NAME_CHARACTERS} characters`);
    checkState(flow, state, `${place}/${name}`, variables);
  }
}

function checkState(flow: Flow, state: State, place: string, variables: Set<string>): void {
  const fields = FIELDS[state.Type];
  if (!fields) fail(place, `unknown Type ${state.Type}`);
  const unknown = Object.keys(state).find((field) => !fields.includes(field));
  if (unknown) fail(place, `${state.Type} has no field ${unknown}`);
  if (state.QueryLanguage && state.QueryLanguage !== 'JSONata') fail(place, 'QueryLanguage must be JSONata');
  for (const target of targetsOf(state)) if (!flow.States[target]) fail(place, `the state ${target} does not exist`);
  if (fields.includes('Next') && !('Next' in state) && !('End' in state && state.End))
    fail(place, 'Next or End is missing');

  const { ItemProcessor, Branches, ...own } = state as { ItemProcessor?: Flow; Branches?: Flow[] };
  checkExpressions(own, place);
  if (state.Type === 'Task') tell(place, () => parseResource(state.Resource));
  if (state.Type === 'Map') checkMap(state, place, variables);
  for (const [index, branch] of (Branches ?? []).entries()) checkFlow(branch, `${place}[${index}]`, variables);
}

function checkMap(state: MapState, place: string, variables: Set<string>): void {
  const distributed = state.ItemProcessor?.ProcessorConfig?.Mode === 'DISTRIBUTED';
  const { ItemReader: reader, ItemBatcher: batcher, ResultWriter: writer } = state;
  if (!state.ItemProcessor) fail(place, 'ItemProcessor is missing');
  if (!distributed && (reader || batcher || writer))
    fail(place, 'ItemReader, ItemBatcher and ResultWriter require the mode DISTRIBUTED');
  if (reader && !READERS.test(reader.Resource)) fail(place, `the reader ${reader.Resource} is not supported`);
  const type = reader?.ReaderConfig?.InputType ?? 'JSON';
  if (!['JSON', 'JSONL'].includes(type)) fail(place, `the InputType ${type} is not supported`);
  if (writer?.Resource && !WRITERS.test(writer.Resource)) fail(place, `the writer ${writer.Resource} is not supported`);
  // Child executions of a distributed map do not see the variables of their parent.
  checkFlow(state.ItemProcessor, `${place}[]`, distributed ? new Set() : variables);
}

function checkExpressions(value: unknown, place: string): void {
  if (isExpression(value)) tell(place, () => compileExpression(value));
  else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) checkExpressions(inner, `${place}/${key}`);
  }
}

type ExitFields = { Next?: string; Assign?: unknown };

/**
 * The parts of a state that set variables, output and next state: the state itself, its choice rules and its catchers.
 */
function exitFieldsOf(state: State): ExitFields[] {
  const { Choices = [], Catch = [] } = state as { Choices?: ExitFields[]; Catch?: ExitFields[] };
  return [state as ExitFields, ...Choices, ...Catch];
}

function targetsOf(state: State): string[] {
  const defaults = state.Type === 'Choice' && state.Default !== undefined ? [state.Default] : [];
  return [...exitFieldsOf(state).flatMap(({ Next }) => Next ?? []), ...defaults];
}

function assignedIn(state: State): string[] {
  return exitFieldsOf(state).flatMap(({ Assign }) => Object.keys((Assign as object | undefined) ?? {}));
}

function tell(place: string, check: () => unknown): void {
  try {
    check();
  } catch (error) {
    fail(place, (error as Error).message);
  }
}

function fail(place: string, problem: string): never {
  throw new Error(`The definition is not supported: ${place || '/'}: ${problem}`);
}
