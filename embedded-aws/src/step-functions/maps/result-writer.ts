import type { ResultWriter } from '../definition/asl-types.ts';
import { childArn, childName } from '../execution/child-execution.ts';
import type { Execution, MapRun, MapRunWork } from '../execution/execution.ts';
import type { ChildResult, MapItem } from '../execution/map-run.ts';
import { StateFailure } from '../execution/state-failure.ts';
import type { InterpreterServices } from '../interpreter/interpreter-context.ts';

// A file is built as one string in memory.
const FILE_CHARACTERS = 64 * 2 ** 20;

export type FinishedMapRun = { execution: Execution; run: MapRun; work: MapRunWork };

/** The results in the order of the items. Failed child executions are always described in full. */
export function mapResults({ execution, run, work }: FinishedMapRun, writer: ResultWriter | undefined): unknown[] {
  const transformation = writer?.WriterConfig?.Transformation ?? (writer?.Resource ? 'NONE' : 'COMPACT');
  return work.inputs.flatMap((child, index): unknown[] => {
    const result = work.results[index];
    if (!result) return [];
    if (transformation === 'NONE' || result.status !== 'SUCCEEDED') {
      return [describeResult(execution, run, index, child, result)];
    }
    return transformation === 'FLATTEN' && Array.isArray(result.output) ? result.output : [result.output];
  });
}

/**
 * Writes result files and a manifest to `<Prefix>/<map run>/` and returns the result of the Map state. Repeating it
 * overwrites the same keys.
 * @throws StateFailure States.ResultWriterFailed
 */
export async function writeResults(
  finished: FinishedMapRun,
  writer: ResultWriter,
  location: { Bucket?: unknown; Prefix?: unknown },
  services: InterpreterServices,
): Promise<unknown> {
  const { run, work } = finished;
  const { machineArn } = finished.execution;
  const Bucket = String(location.Bucket);
  const folder = `${location.Prefix ? `${String(location.Prefix).replace(/\/$/, '')}/` : ''}${run.id}`;
  const files: Record<'SUCCEEDED' | 'FAILED' | 'PENDING', { Key: string; Size: number }[]> = {
    FAILED: [],
    PENDING: [],
    SUCCEEDED: [],
  };
  try {
    for (const status of ['SUCCEEDED', 'FAILED'] as const) {
      const results = work.results.map((result) =>
        (result?.status === 'SUCCEEDED') === (status === 'SUCCEEDED') ? result : undefined,
      );
      const entries = mapResults({ ...finished, work: { ...work, results } }, writer);
      for (const [number, body] of splitFiles(entries, writer).entries()) {
        const Key = `${folder}/${status}_${number}.${writer.WriterConfig?.OutputType === 'JSONL' ? 'jsonl' : 'json'}`;
        await services.writeObject(Bucket, Key, body, machineArn);
        files[status].push({ Key, Size: Buffer.byteLength(body) });
      }
    }
    const Key = `${folder}/manifest.json`;
    const manifest = { DestinationBucket: Bucket, MapRunArn: run.arn, ResultFiles: files };
    await services.writeObject(Bucket, Key, JSON.stringify(manifest), machineArn);
    return { MapRunArn: run.arn, ResultWriterDetails: { Bucket, Key } };
  } catch (error) {
    throw new StateFailure('States.ResultWriterFailed', (error as Error).message);
  }
}

function splitFiles(entries: unknown[], writer: ResultWriter): string[] {
  const lines = writer.WriterConfig?.OutputType === 'JSONL';
  const bodies: string[] = [];
  let held: string[] = [];
  let characters = 0;
  const flush = () => {
    if (held.length > 0) bodies.push(lines ? `${held.join('\n')}\n` : `[${held.join(',')}]`);
    held = [];
    characters = 0;
  };
  for (const entry of entries) {
    const text = JSON.stringify(entry);
    if (characters + text.length > FILE_CHARACTERS) flush();
    held.push(text);
    characters += text.length;
  }
  flush();
  return bodies;
}

function describeResult(
  execution: Execution,
  run: MapRun,
  index: number,
  child: { input: unknown; item: MapItem },
  result: ChildResult,
): Record<string, unknown> {
  return {
    ExecutionArn: childArn(execution, run, index),
    Input: JSON.stringify(child.input),
    InputDetails: { Included: true },
    Name: childName(run, index),
    ...(result.status === 'SUCCEEDED'
      ? { Output: JSON.stringify(result.output), OutputDetails: { Included: true } }
      : { Error: result.error, Cause: result.cause }),
    RedriveCount: 0,
    RedriveStatus: result.status === 'SUCCEEDED' ? 'NOT_REDRIVABLE' : 'REDRIVABLE_BY_MAP_RUN',
    StartDate: new Date(result.startMs).toISOString(),
    StateMachineArn: `${execution.machineArn}/${run.label}`,
    Status: result.status,
    StopDate: new Date(result.stopMs).toISOString(),
  };
}
