/** Something the person at the keyboard can do something about: printed as its one sentence. */
export class Problem extends Error {
  constructor(message, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
