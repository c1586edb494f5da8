import type { Meter } from '../../account/meter.ts';
import type { BehaviourDefinition } from '../../template/distributions/read-distributions.ts';
import type { CacheSource } from '../cache/edge-cache.ts';
import { errorSeconds, freshSeconds } from '../cache/freshness.ts';
import { compileFunction, type RunFunction } from '../functions/function-runtime.ts';
import type { KeyValueReader } from '../functions/runtime-modules.ts';
import type { Origin, OriginResponse } from '../origins/origin.ts';
import { compileHeadersPolicy } from '../responses/headers-policy.ts';

export type EdgeBehaviour = ReturnType<typeof openBehaviour>;

type Parts = {
  origin: Origin;
  errorSeconds: ReadonlyMap<number, number>;
  keyValueReader: (arn: string) => KeyValueReader;
  log: (functionArn: string, line: string) => void;
  compiled: Map<string, RunFunction>;
  now: () => number;
  meter?: Meter | undefined;
};

/** A behaviour of a distribution with its functions compiled. Behaviours with the same function share its context. */
export function openBehaviour(definition: BehaviourDefinition, parts: Parts) {
  const { origin, keyValueReader, log, compiled, now, meter } = parts;
  const functionOf = (given: BehaviourDefinition['viewerRequest']): RunFunction | undefined => {
    if (!given) return undefined;
    const known = compiled.get(given.arn);
    if (known) return known;
    const { arn, keyValueStoreArn } = given;
    const store = keyValueStoreArn === undefined ? undefined : keyValueReader(keyValueStoreArn);
    const handler = compileFunction(given, store, (line) => log(arn, line));
    const name = arn.split('/').at(-1)!;
    const run: RunFunction = (event) => {
      meter?.('edge function runs', 1, name);
      return handler(event);
    };
    compiled.set(arn, run);
    return run;
  };
  const keptSeconds = ({ status, headers }: OriginResponse): number | undefined =>
    status < 400
      ? freshSeconds(headers, definition.cachePolicy, now())
      : errorSeconds(status, headers, parts.errorSeconds);
  return {
    ...definition,
    origin,
    applyHeadersPolicy: compileHeadersPolicy(definition.responseHeadersPolicy),
    onRequest: functionOf(definition.viewerRequest),
    onResponse: functionOf(definition.viewerResponse),
    cacheSource: (fetch: CacheSource['fetch']): CacheSource => ({
      fetch,
      hasRanges: origin.hasRanges,
      freshSeconds: keptSeconds,
    }),
  };
}
