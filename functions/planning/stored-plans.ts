import { planKey } from '../../shared/object-keys.ts';
import { readObject, writeObject } from '../aws/object-store.ts';
import { createBoundedCache } from '../common/bounded-cache.ts';
import type { Plan } from './encoding-plan.ts';

/** Plans are immutable, so that a Lambda instance can cache them. */
const kept = createBoundedCache<Plan>(20);

export async function readPlan(videoUlid: string, planNumber: number): Promise<Plan> {
  const key = planKey(videoUlid, planNumber);
  const known = kept.get(key);
  if (known) return known;
  const plan = JSON.parse(new TextDecoder().decode(await readObject(key))) as Plan;
  kept.set(key, plan);
  return plan;
}

export const writePlan = (videoUlid: string, planNumber: number, plan: Plan): Promise<void> =>
  writeObject(planKey(videoUlid, planNumber), JSON.stringify(plan), 'application/json');
