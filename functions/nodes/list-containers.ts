import * as z from 'zod';
import { timestamp } from '../../shared/clock.ts';
import { NodeUnreachable, StepFailed } from './ssh/node-errors.ts';
import type { NodeTarget } from './ssh/node-target.ts';
import { runScript } from './steps/run-script.ts';
import { stepLog } from './steps/step-log.ts';
import { secretsOf, valuesOf } from './steps/step-values.ts';

/** In total 20 s, with the time to open and close the session: less than API Gateway's 30 s. */
const timeouts = { readySeconds: 8, keepAliveSeconds: 3 };
const limitSeconds = 8;
/** Some thousand containers, of which a node has twenty. */
const maxOutputCharacters = 2 ** 20;

const printedSchema = z.object({
  id: z.string().regex(/^[0-9a-f]{12,64}$/),
  name: z.string().max(255),
  image: z.string().max(512),
  state: z.enum(['created', 'running', 'paused', 'restarting', 'removing', 'exited', 'dead']),
  status: z.string().max(255),
  // 2026-11-20 08:00:00 +0000 UTC
  createdAt: z.string().regex(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2} [+-]\d{4} /),
});

export type Container = Omit<z.infer<typeof printedSchema>, 'createdAt'> & { created_at: string };

/**
 * The node's containers on its server, running or not.
 * @throws NodeUnreachable
 */
export async function listContainers(target: NodeTarget): Promise<Container[]> {
  try {
    const output = stepLog(secretsOf(target, {}), () => {}, maxOutputCharacters);
    const values = valuesOf(target, 'drain', {});
    await runScript(target, { name: 'containers', values, limitSeconds, output, timeouts });
    const printed = output.finish();
    // The first containers would be missing.
    if (printed.length >= maxOutputCharacters) {
      throw new NodeUnreachable('OUTPUT_TOO_LARGE', 'Docker on the server printed too many containers.');
    }
    const lines = printed.split('\n').filter((line) => line.startsWith('{'));
    return lines.map((line) => read(JSON.parse(line)));
  } catch (error) {
    if (error instanceof StepFailed) throw new NodeUnreachable(error.code, error.message);
    if (error instanceof SyntaxError || error instanceof z.ZodError)
      throw new NodeUnreachable('DOCKER_FAILED', 'The output of Docker on the server could not be parsed.');
    throw error;
  }
}

function read(printed: unknown): Container {
  const { createdAt, ...container } = printedSchema.parse(printed);
  const [day, time, zone] = createdAt.split(' ');
  return { ...container, created_at: timestamp(Date.parse(`${day}T${time}${zone}`)) };
}
