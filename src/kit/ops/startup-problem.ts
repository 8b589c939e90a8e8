/**
 * A reason why the program cannot start that its operator can fix.
 *
 * The message is one whole sentence for a person, printed unchanged. The process then exits with code 1.
 */
export class StartupProblem extends Error {
  override name = "StartupProblem";
}
