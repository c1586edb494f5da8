import { planKey } from '../../shared/object-keys.ts';
import { createObject, findObject, readObject } from '../aws/object-store.ts';
import { createBoundedCache } from '../common/bounded-cache.ts';
import type { Plan } from '../planning/encoding-plan.ts';
import { decidedPlan, waitsForQuality } from '../planning/quality/decided-plan.ts';
import type { JobId } from '../table/job-id.ts';
import { openDecision, readDecision } from './stored-decision.ts';

/** Plans are immutable, so that a Lambda instance can cache them. */
const stored = createBoundedCache<Plan>(20);
/** Plans as they are after their decision. */
const decided = createBoundedCache<Plan>(20);

/** A plan, after the decision of its measurement if there is one already. */
export async function readPlan(videoUlid: string, planNumber: number): Promise<Plan> {
  const key = planKey(videoUlid, planNumber);
  const known = decided.get(key);
  if (known) return known;
  const plan = await readStored(key);
  if (!plan.quality) return plan;
  const { decision } = await readDecision(videoUlid, planNumber);
  if (!decision) return plan;
  const changed = decidedPlan(plan, decision);
  decided.set(key, changed);
  return changed;
}

/** A plan as it was stored. Undefined when it is deleted with its video. */
export async function findPlan(videoUlid: string, planNumber: number): Promise<Plan | undefined> {
  const key = planKey(videoUlid, planNumber);
  const known = decided.get(key) ?? stored.get(key);
  if (known) return known;
  const found = await findObject(key);
  if (!found) return undefined;
  const plan = parsePlan(found);
  stored.set(key, plan);
  return plan;
}

const parsePlan = (body: Uint8Array): Plan => JSON.parse(new TextDecoder().decode(body)) as Plan;

/** A job of a video, for which a plan is read. */
type PlannedJob = Pick<JobId, 'videoUlid' | 'planNumber' | 'kind' | 'group'>;

/**
 * The plan of a job. Only chunks that wait for the decision and packaging depend on it: until it is made, others would
 * read the store at each call for nothing.
 */
export async function readPlanOf({ videoUlid, planNumber, kind, group }: PlannedJob): Promise<Plan> {
  const plan = await readStored(planKey(videoUlid, planNumber));
  const chunks = kind === 'encode-video' ? plan.groups[group] : undefined;
  const isDecided = kind === 'package' || (chunks !== undefined && waitsForQuality(chunks));
  return isDecided ? readPlan(videoUlid, planNumber) : plan;
}

async function readStored(key: string): Promise<Plan> {
  const known = stored.get(key);
  if (known) return known;
  const plan = parsePlan(await readObject(key));
  stored.set(key, plan);
  return plan;
}

/**
 * Stores a plan unless there is one under its number, and returns the stored one: jobs are named by their place in it,
 * and a plan that is made again later may differ, because it depends on the workers of that time.
 */
export async function keepPlan(videoUlid: string, planNumber: number, plan: Plan): Promise<Plan> {
  // Before the plan, so that readers of a plan with a measurement find its decision.
  if (plan.quality) await openDecision(videoUlid, planNumber);
  await createObject(planKey(videoUlid, planNumber), JSON.stringify(plan), 'application/json');
  return readPlan(videoUlid, planNumber);
}
