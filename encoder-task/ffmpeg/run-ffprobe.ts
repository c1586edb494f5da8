import { type Ended, type ProcessContext, run } from '../runtime/run-process.ts';

/** Runs ffprobe. `document` is its JSON output, undefined when it failed. */
export async function runFfprobe(
  { folder, limits, priority, signal }: ProcessContext,
  args: string[],
): Promise<Ended & { document: unknown }> {
  const lines: string[] = [];
  const ended = await run({
    program: 'ffprobe',
    args,
    folder,
    limits,
    priority,
    signal,
    onLine: (line) => lines.push(line),
  });
  return { ...ended, document: ended.exitCode === 0 ? JSON.parse(lines.join('\n')) : undefined };
}
