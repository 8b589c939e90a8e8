import { StartupProblem } from "#kit/ops/startup-problem.ts";

/**
 * A part of the demo, as it is being loaded: the image for production is built without any. Throws a
 * StartupProblem there.
 */
export async function demoPart<Part>(loading: Promise<Part>): Promise<Part> {
  try {
    return await loading;
  } catch (problem) {
    const isMissing =
      problem instanceof Error && "code" in problem && problem.code === "ERR_MODULE_NOT_FOUND";
    if (!isMissing) throw problem;
    throw new StartupProblem(
      "This image was built for production, without the demo and its made-up data: run that from a checkout of the sources.",
      { cause: problem },
    );
  }
}
