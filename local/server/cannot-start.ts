/** A problem that the user can solve. The message is one sentence that says what is wrong and what to do. */
export class CannotStart extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CannotStart';
  }
}
