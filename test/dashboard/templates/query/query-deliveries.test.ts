import { expect, test } from 'vitest';
import {
  addDelivery,
  outputNames,
  readDeliveries,
  removeDelivery,
  setDelivery,
} from '../../../../dashboard/templates/query/query-deliveries.ts';

const query = {
  version: 1,
  outputs: [{ name: 'hls', format: 'hls' }, { format: 'dash' }],
  deliver: [
    { storage: 'A', path: 'films/{ulid}/', outputs: ['hls'], also: ['poster'] },
    { storage: 'B', note: 'of a later version' },
  ],
};

test('copies are read with the defaults of what they leave out', () => {
  expect(readDeliveries(query)).toEqual([
    { storage: 'A', path: 'films/{ulid}/', outputs: ['hls'], also: ['poster'] },
    { storage: 'B', path: '', outputs: '*', also: [] },
  ]);
  expect(readDeliveries({})).toEqual([]);
  expect(readDeliveries({ deliver: ['A', {}] })).toEqual([{ storage: '', path: '', outputs: '*', also: [] }]);
});

test('copies choose from outputs that have names', () => {
  expect(outputNames(query)).toEqual(['hls']);
});

test('a copy is changed, its defaults are left out, and everything else is kept', () => {
  const [, second] = setDelivery(query, 1, { storage: 'C', path: '{ulid}/', also: ['original'] }).deliver as unknown[];
  expect(second).toEqual({ storage: 'C', note: 'of a later version', path: '{ulid}/', also: ['original'] });
  expect(setDelivery(query, 0, { path: '', outputs: '*', also: [] }).deliver).toEqual([
    { storage: 'A' },
    query.deliver[1],
  ]);
});

test('no outputs are kept as a choice: only other files are copied', () => {
  expect(setDelivery(query, 0, { outputs: [] }).deliver).toEqual([
    { ...query.deliver[0], outputs: [] },
    query.deliver[1],
  ]);
});

test('copies are added and removed, and without any the query has no list of them', () => {
  const added = addDelivery({ version: 1 }, 'A');
  expect(added).toEqual({ version: 1, deliver: [{ storage: 'A' }] });
  expect(addDelivery(query, 'C').deliver).toEqual([...query.deliver, { storage: 'C' }]);
  expect(removeDelivery(query, 0).deliver).toEqual([query.deliver[1]]);
  expect(removeDelivery(added, 0)).toEqual({ version: 1 });
});
