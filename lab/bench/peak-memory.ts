import { readFileSync } from 'node:fs';

/**
 * The most memory that this process has had. The peak of `process.resourceUsage()` is not that of the process alone: it
 * begins with what the parent had when it forked.
 */
export function peakRssBytes(): number {
  const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return Number(kib) * 1024;
}
