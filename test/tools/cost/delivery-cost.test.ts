import { expect, test } from 'vitest';
import { deliveryItems } from '../../../tools/cost/delivery-cost.ts';

test('the transfer is nearly all of the costs of delivery, and all costs are proportional to the bytes', () => {
  const dollars = (gb: number) => deliveryItems(gb).reduce((sum, item) => sum + item.dollars, 0);
  const [transfer] = deliveryItems(1000);
  expect(transfer!.dollars / dollars(1000)).toBeGreaterThan(0.95);
  expect(dollars(2000)).toBeCloseTo(2 * dollars(1000));
  expect(dollars(0)).toBe(0);
});
