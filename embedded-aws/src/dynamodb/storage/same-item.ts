import type { AttributeValue, Item } from '../dynalite/dynalite.ts';

/** Whether two items have the same content. The order of attributes and of the members of a set is no difference. */
export function isSameItem(left: Item, right: Item): boolean {
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => right[name] !== undefined && isSameValue(left[name]!, right[name]))
  );
}

function isSameValue(left: AttributeValue, right: AttributeValue): boolean {
  const [type = ''] = Object.keys(left);
  if (!Object.hasOwn(right, type)) return false;
  const [one, other] = [left[type], right[type]];
  if (type === 'M') return isSameItem(one as Item, other as Item);
  if (!Array.isArray(one) || !Array.isArray(other)) return one === other;
  if (one.length !== other.length) return false;
  if (type === 'L') return one.every((value, index) => isSameValue(value, other[index]));
  const members = new Set(other);
  return one.every((member) => members.has(member));
}
