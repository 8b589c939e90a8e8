/**
 * A reason why the program cannot start that its operator can do something about.
 *
 * The message is one whole sentence for a person, printed as it is; the process then exits with code 1.
 */
export class StartupProblem extends Error {
  override name = "StartupProblem";
}
