/** A problem that the person at the keyboard can fix, printed as its one sentence. */
export class Problem extends Error {
  constructor(message, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
