import { changeEntries, entriesOf, type Query, withKey } from './query.ts';

/** What the form shows of an entry of `deliver`. */
export type DeliveryForm = {
  /** ULID */
  storage: string;
  /** '' for the default */
  path: string;
  outputs: '*' | readonly string[];
  also: readonly string[];
};

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** The copies to storages that a query asks for. */
export const readDeliveries = (query: Query): DeliveryForm[] =>
  entriesOf(query, 'deliver').map(({ storage = '', path = '', outputs, also }) => ({
    storage: String(storage),
    path: String(path),
    outputs: Array.isArray(outputs) ? texts(outputs) : '*',
    also: texts(also),
  }));

/** The names that copies can choose from. */
export const outputNames = (query: Query): string[] =>
  entriesOf(query, 'outputs').flatMap(({ name }) => (name === undefined ? [] : [String(name)]));

export const addDelivery = (query: Query, storage: string): Query =>
  withKey(query, 'deliver', [...(Array.isArray(query.deliver) ? query.deliver : []), { storage }]);

/** Sets what changes. What has its default is left out; no outputs at all are no default. */
export function setDelivery(query: Query, index: number, changes: Partial<DeliveryForm>): Query {
  const target = entriesOf(query, 'deliver')[index];
  const isDefault = ([key, value]: [string, DeliveryForm[keyof DeliveryForm]]): boolean =>
    key === 'outputs' ? value === '*' : value.length === 0;
  const changed = (entry: Query): Query =>
    Object.entries(changes).reduce(
      (changed, change) => withKey(changed, change[0], isDefault(change) ? undefined : change[1]),
      entry,
    );
  return changeEntries(query, 'deliver', (entry) => (entry === target ? changed(entry) : entry));
}

export function removeDelivery(query: Query, index: number): Query {
  const removed = entriesOf(query, 'deliver')[index];
  const left = Array.isArray(query.deliver) ? query.deliver.filter((entry) => entry !== removed) : [];
  return withKey(query, 'deliver', left.length === 0 ? undefined : left);
}
