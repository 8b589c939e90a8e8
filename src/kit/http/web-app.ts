import staticFiles from "@fastify/static";
import type { FastifyInstance } from "fastify";
import { Refusal } from "#kit/contract/refusal.ts";
import { failure } from "#kit/http/envelope.ts";
import { isPageRequest, pageRenderer, type PageSettings } from "#kit/http/pages.ts";

/** Serve the built web app: its files, and a page at every address that is not a call. With null, no pages. */
export async function serveWebApp(app: FastifyInstance, page: PageSettings | null): Promise<void> {
  const render = page && pageRenderer(page);
  if (page) {
    await app.register(staticFiles, {
      root: `${page.folder}/assets`,
      prefix: "/assets/",
      preCompressed: true,
      immutable: true,
      maxAge: "365d",
      index: false,
      setHeaders: (reply, path) => {
        if (path.includes(".svg"))
          void reply.header("Content-Type", "image/svg+xml; charset=utf-8");
      },
    });
  }
  app.setNotFoundHandler(async (request, reply) => {
    if (render && isPageRequest(request)) {
      if (request.bearer !== null)
        throw new Refusal(403, "An API token cannot open pages. Sign in in a browser.");
      return render(request, reply);
    }
    return reply
      .status(404)
      .type("application/json; charset=utf-8")
      .send(failure("This address does not exist."));
  });
}
