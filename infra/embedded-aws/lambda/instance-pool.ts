import type { InstanceRegistry } from './instance-registry.ts';
import { type Instance, type InstanceOptions, type Invocation, startInstance } from './lambda-instance.ts';

export type PoolOptions = InstanceOptions & {
  /** How many invocations share an instance. On AWS it is one. */
  callsPerInstance: number;
  maxInstances: number;
  /** Idle instances are stopped after this time. */
  idleSeconds: number;
  /** The same while the number of all instances is over the limit. */
  overLimitIdleSeconds: number;
  registry: InstanceRegistry;
  /**
   * How long an invocation waits before another instance is started, in milliseconds. It depends on the usual duration,
   * and on whether the newest instance is still in its first invocation.
   */
  scaleOutDelay: (typicalMs: number, isLoading: boolean) => number;
};

type Member = { instance: Instance; calls: number; lastUsedMs: number; timer?: NodeJS.Timeout };

/** Weight of the latest invocation in the moving average of the durations. */
const smoothingFactor = 0.2;

/**
 * The instances of one function. Invocations wait in a queue when all instances are busy. Another instance, up to
 * `maxInstances`, is started only after a delay, because a new thread has to load and compile the function, which takes
 * more processor time than many invocations. Idle instances are stopped, down to none.
 */
export function createPool(options: PoolOptions) {
  const { callsPerInstance, maxInstances, idleSeconds, overLimitIdleSeconds, registry, scaleOutDelay } = options;
  const members = new Set<Member>();
  let loading: Member | undefined;
  let startedAtMs = 0;
  let typicalMs = 0;
  const waiting: { sinceMs: number; give: (member: Member) => void }[] = [];
  let scaleOutTimer: NodeJS.Timeout | undefined;

  function take(): Member | Promise<Member> {
    const member = findAvailable() ?? (members.size === 0 ? add() : undefined);
    if (member) return assign(member);
    const { promise, resolve } = Promise.withResolvers<Member>();
    waiting.push({ sinceMs: performance.now(), give: resolve });
    scheduleScaleOut();
    return promise;
  }

  /** Prefers the busiest instance, then the one used last, so that the others become idle. */
  function findAvailable(): Member | undefined {
    let best: Member | undefined;
    for (const member of members) {
      if (!member.instance.alive) members.delete(member);
      else if (member.calls < callsPerInstance && (!best || isPreferred(member, best))) best = member;
    }
    return best;
  }

  function scheduleScaleOut() {
    clearTimeout(scaleOutTimer);
    const [first] = waiting;
    if (!first || members.size >= maxInstances) return;
    const dueMs = Math.max(first.sinceMs, startedAtMs) + scaleOutDelay(typicalMs, loading !== undefined);
    scaleOutTimer = setTimeout(() => serve(add()), Math.max(0, dueMs - performance.now()));
  }

  /** Assigns waiting invocations to an instance until it is fully used. */
  function serve(member: Member) {
    while (waiting.length > 0 && member.calls < callsPerInstance) waiting.shift()!.give(assign(member));
    scheduleScaleOut();
  }

  function add(): Member {
    const instance = startInstance(options);
    const member = { instance, calls: 0, lastUsedMs: performance.now() };
    members.add(member);
    registry.add(instance);
    startedAtMs = performance.now();
    loading = member;
    return member;
  }

  function assign(member: Member): Member {
    member.calls += 1;
    clearTimeout(member.timer);
    return member;
  }

  function release(member: Member) {
    member.calls -= 1;
    member.lastUsedMs = performance.now();
    if (!member.instance.alive) members.delete(member);
    if (waiting.length > 0) serve(member.instance.alive ? member : (findAvailable() ?? add()));
    if (member.instance.alive && member.calls === 0) scheduleStop(member);
  }

  function scheduleStop(member: Member) {
    const look = () => {
      const idleMs = performance.now() - member.lastUsedMs;
      if (idleMs < idleSeconds * 1000 && !registry.isOverLimit) return scheduleStop(member);
      members.delete(member);
      registry.remove(member.instance);
      void member.instance.stop();
    };
    member.timer = setTimeout(look, Math.min(overLimitIdleSeconds, idleSeconds) * 1000).unref();
  }

  return {
    async run(event: string): Promise<Invocation> {
      const member = await take();
      const startMs = performance.now();
      try {
        return await member.instance.run(event);
      } finally {
        if (member === loading) loading = undefined;
        else typicalMs += smoothingFactor * (performance.now() - startMs - typicalMs);
        release(member);
      }
    },
    async close(): Promise<void> {
      clearTimeout(scaleOutTimer);
      for (const { timer } of members) clearTimeout(timer);
      await Promise.all([...members].map(({ instance }) => instance.stop()));
    },
  };
}

const isPreferred = (a: Member, b: Member): boolean =>
  a.calls === b.calls ? a.lastUsedMs > b.lastUsedMs : a.calls > b.calls;
