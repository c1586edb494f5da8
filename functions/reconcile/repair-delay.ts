/** An event or a call that is late arrives within minutes. What still waits after this delay is treated as lost. */
export const repairDelayMilliseconds = 10 * 60_000;
