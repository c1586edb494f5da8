/** A fault that found no moment to happen: the machine was too busy, or too fast. It says nothing of the service. */
export class MomentMissed extends Error {}
