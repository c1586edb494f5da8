import { planKey } from '../../shared/object-keys.ts';
import { createObject, readObject } from '../aws/object-store.ts';
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

/**
 * Stores a plan unless there is one under its number, and returns the stored one: jobs are named by their place in it,
 * and a plan that is made again later may differ, because it depends on the workers of that time.
 */
export async function keepPlan(videoUlid: string, planNumber: number, plan: Plan): Promise<Plan> {
  await createObject(planKey(videoUlid, planNumber), JSON.stringify(plan), 'application/json');
  return readPlan(videoUlid, planNumber);
}
