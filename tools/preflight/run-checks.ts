import { accountChecks } from './account-checks.ts';
import type { Check, Finding } from './check.ts';
import { dockerChecks } from './docker-check.ts';
import type { Stage } from './read-stage.ts';
import { stackChecks } from './stack-checks.ts';

export type CheckResult = { name: string; findings: Finding[] };

/** Runs all checks of a stage, in the account of the AWS credentials. */
export const runChecks = (stage: Stage): Promise<CheckResult[]> =>
  Promise.all([...accountChecks(stage), ...stackChecks(stage), ...dockerChecks(stage)].map(findingsOf));

/** A check that cannot be done is a problem too: the deployment would meet it. */
async function findingsOf({ name, run }: Check): Promise<CheckResult> {
  try {
    return { name, findings: [await run()].flat() };
  } catch (error) {
    const { name: kind, message } = error as Error;
    const fix = 'check the credentials and the region (AWS_PROFILE, AWS_REGION), and that they may read this';
    return { name, findings: [{ state: 'fails', text: `not checked: ${kind}: ${message}`, fix }] };
  }
}
