import { StartupProblem } from "#kit/ops/startup-problem.ts";

/** A dynamically imported part of the demo. Throws a StartupProblem in the production image, which has no demo. */
export async function demoPart<Part>(loading: Promise<Part>): Promise<Part> {
  try {
    return await loading;
  } catch (problem) {
    const isMissing =
      problem instanceof Error && "code" in problem && problem.code === "ERR_MODULE_NOT_FOUND";
    if (!isMissing) throw problem;
    throw new StartupProblem(
      "This image was built for production, without the demo and its made-up data. Run that from a checkout of the sources.",
      { cause: problem },
    );
  }
}
