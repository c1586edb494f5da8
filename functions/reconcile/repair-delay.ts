/** Events and calls that are late come within minutes; what is older and still waits was lost. */
export const patienceMilliseconds = 10 * 60_000;
