import type { FastifyReply, FastifyRequest } from "fastify";
import type { Endpoint } from "#contract/endpoint.ts";
import type { Actor } from "#domain/actor.ts";
import { screenTags } from "#http/page-files.ts";
import type { RawInput } from "#http/serve.ts";

/** A call that a screen makes at once. */
export interface FirstCall extends RawInput {
  endpoint: Endpoint;
}

/** What a page shows first. */
export interface FirstScreen {
  /** The page's address. */
  path: RegExp;
  /** The file of the screen, below src/features. */
  file: string;
  /**
   * What the screen asks; `id` is the first group of the address. What has a query is a list, and is not
   * answered where the page's address searches in it.
   */
  asks?: (actor: Actor, id: string) => FirstCall[];
}

export interface FirstScreens {
  /** What every page asks: who is signed in. */
  session: Endpoint;
  screens: FirstScreen[];
}

/** What stands in a page so that its first screen waits for nothing else. */
export interface FirstPaint {
  /** Scripts and styles of the screen, for the head. */
  tags: string;
  /** Answers to the calls that the page makes first, for the end of the body. */
  answers: string;
}

/** How each page is prepared: its files named, its first calls answered. */
export function firstPaints({ session, screens }: FirstScreens, folder: string) {
  const tagsOf = screenTags(folder);
  const prepared = screens.map((screen) => ({ ...screen, tags: tagsOf(screen.file) }));

  return async (
    path: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FirstPaint> => {
    const screen = prepared.find((one) => one.path.test(path));
    const tags = screen?.tags ?? "";
    const { actor } = request;
    if (request.isUnrecognized) return { tags, answers: "" };
    const id = screen?.path.exec(path)?.[1] ?? "";
    const asked = (actor && screen?.asks?.(actor, id)) ?? [];
    const isSearching = request.url.includes("?");
    const calls = asked.filter(({ query }) => !query || !isSearching);
    const answers = await answersTo([{ endpoint: session }, ...calls], request, reply);
    return { tags, answers: embedded(answers) };
  };
}

/**
 * Each answer as JSON text, by the address of its call. What is refused or fails is left out: the page
 * asks for it as for everything else, and says what became of it.
 */
async function answersTo(
  calls: FirstCall[],
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Map<string, string>> {
  const { endpoints } = request.server;
  const answers = new Map<string, string>();
  await Promise.all(
    calls.map(async ({ endpoint, ...input }) => {
      const served = endpoints.find((one) => one.endpoint === endpoint);
      const text = await served?.answerForPage?.(request, reply, input).catch(() => null);
      if (text) answers.set(addressOf(endpoint, input), text);
    }),
  );
  return answers;
}

/** The address that the browser's `call` makes of the same. */
function addressOf({ path }: Endpoint, { params = {}, query = {} }: RawInput): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ""),
  );
  const text = new URLSearchParams(query).toString();
  return text ? `${filled}?${text}` : filled;
}

/**
 * Answers as one JSON object in a script of a type that no browser runs. With each `<` escaped, nothing
 * in it can end the element or open a comment.
 */
function embedded(answers: Map<string, string>): string {
  const pairs = [...answers].map(([address, text]) => `${JSON.stringify(address)}:${text}`);
  const json = `{${pairs.join(",")}}`.replaceAll("<", "\\u003c");
  return `<script type="application/json" id="answers">${json}</script>`;
}
