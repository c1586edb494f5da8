/** A fault whose moment did not occur, because the machine was too slow or too fast. Not a failure of the service. */
export class MomentMissed extends Error {}
