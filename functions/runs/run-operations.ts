import type { ProbeResult } from '../../shared/protocol/probe-result.ts';
import type { Plan } from '../planning/encoding-plan.ts';
import type { Output } from '../table/records.ts';
import type { Run } from '../table/videos/run.ts';

/** The error of a state, as Step Functions passes it to the state that catches it. */
export type CaughtError = { Error?: string | undefined; Cause?: string | undefined };

/**
 * Whether an execution continues: `process`; `queued` until a slot is free, when another execution is started;
 * `already-created` when another execution has the run; `ignored` when there is nothing to process.
 */
export type ClaimDecision = 'process' | 'queued' | 'already-created' | 'ignored';

/** A decision, and the plan that the execution makes. */
export type Claim = { decision: ClaimDecision; planNumber: number };

export type PublishResult = { status: 'completed' } | { status: 'failed'; error: string; cause: string };

/**
 * What the states of the pipeline do, for one kind of run: one function for each place where the kinds differ.
 * Each may be called more than once for the same run, and the process may have died at any point of an earlier call.
 */
export type RunOperations<OneRun extends Run> = {
  /** Gives the run to an execution, and decides whether it may start now. */
  claim(run: OneRun, executionArn: string): Promise<Claim>;
  /** Makes the plan. A second call makes the same plan. */
  plan(run: OneRun, probe: ProbeResult): Promise<Plan>;
  /** Records the outputs of a plan that is stored. Returns those that are to be packaged. */
  recordOutputs(run: OneRun, plan: Plan, probe: ProbeResult): Promise<Output[]>;
  /** After the last encode has completed or failed: `package` when at least one output can be made. */
  startPackaging(run: OneRun): Promise<'package' | 'failed'>;
  /** Builds one output and makes it playable. */
  packageOutput(run: OneRun, output: Output): Promise<void>;
  /** Records that one output could not be packaged. */
  failOutput(run: OneRun, outputUlid: string, error: CaughtError): Promise<void>;
  /** Ends the run as completed when at least one of its outputs plays, otherwise as failed. */
  publish(run: OneRun): Promise<PublishResult>;
  /** Ends the run as failed. `reason` is `CODE: sentence`, as the uploader sees it. */
  fail(run: OneRun, reason: string): Promise<void>;
};
