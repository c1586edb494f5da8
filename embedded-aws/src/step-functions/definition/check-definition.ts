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

function checkFlow(flow: Flow, where: string, outerVariables: Set<string>): void {
  const variables = new Set(outerVariables);
  for (const [name, state] of Object.entries(flow.States ?? {})) {
    for (const variable of assignedIn(state)) {
      if (outerVariables.has(variable))
        fail(`${where}/${name}`, `the variable ${variable} is already assigned in an enclosing flow`);
      variables.add(variable);
    }
  }
  if (!flow.States?.[flow.StartAt]) fail(where, `StartAt is not the name of a state: ${flow.StartAt}`);
  for (const [name, state] of Object.entries(flow.States)) {
    if (name.length > MAX_NAME_CHARACTERS)
      fail(`${where}/${name}`, `a name has at most ${MAX_NAME_CHARACTERS} characters`);
    checkState(flow, state, `${where}/${name}`, variables);
  }
}

function checkState(flow: Flow, state: State, where: string, variables: Set<string>): void {
  const fields = FIELDS[state.Type];
  if (!fields) fail(where, `unknown Type ${state.Type}`);
  const unknown = Object.keys(state).find((field) => !fields.includes(field));
  if (unknown) fail(where, `${state.Type} has no field ${unknown}`);
  if (state.QueryLanguage && state.QueryLanguage !== 'JSONata') fail(where, 'QueryLanguage must be JSONata');
  for (const target of targetsOf(state)) if (!flow.States[target]) fail(where, `the state ${target} does not exist`);
  if (fields.includes('Next') && !('Next' in state) && !('End' in state && state.End))
    fail(where, 'Next or End is missing');

  const { ItemProcessor, Branches, ...own } = state as { ItemProcessor?: Flow; Branches?: Flow[] };
  checkExpressions(own, where);
  if (state.Type === 'Task') tell(where, () => parseResource(state.Resource));
  if (state.Type === 'Map') checkMap(state, where, variables);
  for (const [index, branch] of (Branches ?? []).entries()) checkFlow(branch, `${where}[${index}]`, variables);
}

function checkMap(state: MapState, where: string, variables: Set<string>): void {
  const distributed = state.ItemProcessor?.ProcessorConfig?.Mode === 'DISTRIBUTED';
  const { ItemReader: reader, ItemBatcher: batcher, ResultWriter: writer } = state;
  if (!state.ItemProcessor) fail(where, 'ItemProcessor is missing');
  if (!distributed && (reader || batcher || writer))
    fail(where, 'ItemReader, ItemBatcher and ResultWriter require the mode DISTRIBUTED');
  if (reader && !READERS.test(reader.Resource)) fail(where, `the reader ${reader.Resource} is not supported`);
  const type = reader?.ReaderConfig?.InputType ?? 'JSON';
  if (!['JSON', 'JSONL'].includes(type)) fail(where, `the InputType ${type} is not supported`);
  if (writer?.Resource && !WRITERS.test(writer.Resource)) fail(where, `the writer ${writer.Resource} is not supported`);
  // Child executions of a distributed map do not see the variables of their parent.
  checkFlow(state.ItemProcessor, `${where}[]`, distributed ? new Set() : variables);
}

function checkExpressions(value: unknown, where: string): void {
  if (isExpression(value)) tell(where, () => compileExpression(value));
  else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) checkExpressions(inner, `${where}/${key}`);
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

function tell(where: string, check: () => unknown): void {
  try {
    check();
  } catch (error) {
    fail(where, (error as Error).message);
  }
}

function fail(where: string, problem: string): never {
  throw new Error(`The definition is not supported: ${where || '/'}: ${problem}`);
}
