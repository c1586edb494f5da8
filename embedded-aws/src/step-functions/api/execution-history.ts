import type { Line } from '../execution/journal-line.ts';
import { requireExecution } from './execution-registry.ts';
import { journalLinesOf } from './execution-view.ts';
import type { OperationContext } from './operation-context.ts';
import { type Input, requiredArn } from './operation-input.ts';
import { pageOf, slicePage } from './result-page.ts';

export async function getExecutionHistory(context: OperationContext, input: Input): Promise<unknown> {
  const arn = requiredArn(input, 'executionArn');
  const found = requireExecution(context.registry, arn);
  const { reverseOrder = false, includeExecutionData = true } = input;
  const page = pageOf(input, `history ${arn} ${reverseOrder}`);
  const lines: Line[] = [];
  for await (const line of journalLinesOf(found, context.store)) if (line.id !== undefined) lines.push(line);
  if (reverseOrder) lines.reverse();
  const { items, nextToken } = slicePage(lines, page);
  return {
    events: items.map((line) => toEvent(line, includeExecutionData !== false)),
    ...(nextToken !== undefined && { nextToken }),
  };
}

const DATA = ['input', 'output', 'parameters'];

/**
 * Converts a journal line to a history event of the API: payloads are strings, in the member that the event type
 * defines.
 */
export function toEvent({ id, previousId, atMs, type, details }: Line, withData: boolean): Record<string, unknown> {
  const event = { id, previousEventId: previousId, timestamp: new Date(atMs), type };
  if (!details) return event;
  const eventDetails: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(details)) {
    if (key === 'assignedVariables') {
      if (withData) eventDetails[key] = textOfEach(value as Record<string, unknown>);
    } else if (!DATA.includes(key)) {
      eventDetails[key] = value;
    } else if (withData) {
      // The input of an execution is stored as the caller's text.
      eventDetails[key] = type === 'ExecutionStarted' ? value : JSON.stringify(value);
      if (key !== 'parameters') eventDetails[`${key}Details`] = { truncated: false };
    }
  }
  return { ...event, [detailsMember(type)]: eventDetails };
}

function detailsMember(type: string): string {
  if (type.endsWith('StateEntered')) return 'stateEnteredEventDetails';
  if (type.endsWith('StateExited')) return 'stateExitedEventDetails';
  return `${type[0]?.toLowerCase()}${type.slice(1)}EventDetails`;
}

function textOfEach(values: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, JSON.stringify(value)]));
}
