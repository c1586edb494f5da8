import type { ItemReader, MapState } from '../definition/asl-types.ts';
import { StateFailure } from '../execution/state-failure.ts';
import { orStopped } from '../execution/stop-signal.ts';
import type { StateRun } from '../interpreter/interpreter-context.ts';
import { bindingsOf } from '../interpreter/state-bindings.ts';
import { evaluateInteger, evaluateTemplate } from '../jsonata/jsonata-template.ts';

const MAX_ITEMS = 100_000_000;

/** Reads the items of a distributed Map from the object store. @throws StateFailure States.ItemReaderFailed */
export async function readItems(at: StateRun<MapState>, reader: ItemReader): Promise<unknown[]> {
  const bindings = bindingsOf(at);
  const location = (await evaluateTemplate(reader.Arguments ?? {}, bindings, 'ItemReader/Arguments')) as Record<
    string,
    unknown
  >;
  const template = reader.ReaderConfig?.MaxItems;
  const most =
    template === undefined
      ? MAX_ITEMS
      : await evaluateInteger(template, bindings, 'ItemReader/ReaderConfig/MaxItems', [0, MAX_ITEMS]);
  try {
    const items = reader.Resource.endsWith(':listObjectsV2')
      ? await list(at, location)
      : await read(at, location, reader);
    // 0 means no limit, as in Step Functions.
    return most > 0 ? items.slice(0, most) : items;
  } catch (error) {
    if (error === at.run.stop.reason) throw error;
    throw new StateFailure('States.ItemReaderFailed', (error as Error).message);
  }
}

async function list({ run }: StateRun<MapState>, { Bucket, Prefix }: Record<string, unknown>): Promise<unknown[]> {
  const { listObjects } = run.services;
  if (!listObjects) throw new Error('Listing objects is not supported.');
  const prefix = Prefix === undefined ? '' : String(Prefix);
  return orStopped(run.stop, listObjects(String(Bucket), prefix, run.execution.machineArn));
}

async function read(
  { run }: StateRun<MapState>,
  { Bucket, Key }: Record<string, unknown>,
  { ReaderConfig = {} }: ItemReader,
): Promise<unknown[]> {
  const { services, execution, stop } = run;
  const body = await orStopped(stop, services.readObject(String(Bucket), String(Key), execution.machineArn));
  const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
  if (ReaderConfig.InputType === 'JSONL') {
    return text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => JSON.parse(line));
  }
  const found = valueAtPointer(JSON.parse(text), ReaderConfig.ItemsPointer ?? '');
  if (Array.isArray(found)) return found;
  if (typeof found === 'object' && found !== null) {
    return Object.entries(found).map(([Key, Value]) => ({ Key, Value }));
  }
  throw new Error(`The object ${Key} in the bucket ${Bucket} contains no list of items.`);
}

/** The value at a JSON pointer (RFC 6901). */
function valueAtPointer(value: unknown, pointer: string): unknown {
  let found = value;
  for (const part of pointer.split('/').slice(1)) {
    found = (found as Record<string, unknown> | undefined)?.[part.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return found;
}
