import type { MapState } from '../definition/asl-types.ts';
import type { ChildInput, MapItem } from '../execution/map-run.ts';
import { jsonBytes, MAX_PAYLOAD_BYTES, toPayload } from '../execution/payload-limit.ts';
import { StateFailure } from '../execution/state-failure.ts';
import type { StateRun } from '../interpreter/interpreter-context.ts';
import { bindingsOf } from '../interpreter/state-bindings.ts';
import { evaluateInteger, evaluateTemplate } from '../jsonata/jsonata-template.ts';

/** The items from the Items field or the input of the state. An object becomes an array of its keys and values. */
export async function evaluateItems(at: StateRun<MapState>): Promise<unknown[]> {
  const { state, frame } = at;
  const items =
    state.Items === undefined ? frame.activeState?.input : await evaluateTemplate(state.Items, bindingsOf(at), 'Items');
  if (Array.isArray(items)) return JSON.parse(JSON.stringify(items));
  if (state.Items !== undefined && typeof items === 'object' && items !== null) {
    return Object.entries(items).map(([Key, Value]) => ({ Key, Value }));
  }
  const kind = items === null ? 'null' : typeof items;
  throw new StateFailure(
    'States.QueryEvaluationError',
    `The items of the state '${frame.activeState?.name}' must be an array, not ${kind}.`,
  );
}

/** The input of one iteration or child execution. */
export async function selectItem(at: StateRun<MapState>, mapItem: MapItem): Promise<unknown> {
  const { state, frame } = at;
  if (state.ItemSelector === undefined) return mapItem.Value;
  const selected = await evaluateTemplate(state.ItemSelector, bindingsOf(at, { mapItem }), 'ItemSelector');
  return toPayload(selected, `The ItemSelector of the state '${frame.activeState?.name}'`);
}

/** Groups selected items as the ItemBatcher requires. The input of each child execution is `{ Items, BatchInput? }`. */
export async function batchItems(at: StateRun<MapState>, inputs: ChildInput[]): Promise<ChildInput[]> {
  const batcher = at.state.ItemBatcher;
  if (!batcher) return inputs;
  const bindings = bindingsOf(at);
  const number = async (field: 'MaxItemsPerBatch' | 'MaxInputBytesPerBatch', most: number) =>
    batcher[field] === undefined ? most : evaluateInteger(batcher[field], bindings, `ItemBatcher/${field}`, [1, most]);
  const mostItems = await number('MaxItemsPerBatch', Number.MAX_SAFE_INTEGER);
  const mostBytes = await number('MaxInputBytesPerBatch', MAX_PAYLOAD_BYTES);
  const shared =
    batcher.BatchInput === undefined
      ? {}
      : { BatchInput: await evaluateTemplate(batcher.BatchInput, bindings, 'ItemBatcher/BatchInput') };
  const emptyBytes = jsonBytes({ ...shared, Items: [] });

  const batches: unknown[][] = [];
  let bytes = 0;
  for (const { input } of inputs) {
    const itemBytes = jsonBytes(input) + 1;
    const last = batches.at(-1);
    if (last && last.length < mostItems && bytes + itemBytes <= mostBytes) {
      last.push(input);
      bytes += itemBytes;
    } else {
      batches.push([input]);
      bytes = emptyBytes + itemBytes;
    }
  }
  return batches.map((Items, Index) => ({
    input: { ...shared, Items },
    item: { Index, Value: Items },
    itemCount: Items.length,
  }));
}
