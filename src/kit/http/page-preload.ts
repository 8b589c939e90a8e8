import type { FastifyReply, FastifyRequest } from "fastify";
import type { Endpoint } from "#kit/contract/endpoint.ts";
import type { Actor } from "#kit/domain/actor.ts";
import { screenTags } from "#kit/http/page-files.ts";
import type { RawInput } from "#kit/http/serve.ts";

/** A call that a screen makes when it opens, answered in the page. */
export interface PreloadedCall extends RawInput {
  endpoint: Endpoint;
}

/** What is preloaded for a page. */
export interface ScreenPreload {
  /** The page's address. */
  path: RegExp;
  /** The screen's file, below src. */
  file: string;
  /**
   * The calls that the screen makes; `id` is the first group of `path`. A call with a query is a list: it is not
   * preloaded if the page's own address has a query, which filters that list.
   */
  calls?: (actor: Actor, id: string) => PreloadedCall[];
}

export interface PreloadSettings {
  /** The call that every page makes: who is signed in. */
  session: Endpoint;
  screens: ScreenPreload[];
  /** What is beside every administrator's screen: its chunk in the build, and its calls. */
  besideScreens?: { chunk: string; calls: PreloadedCall[] };
}

/** What a page contains so that its first screen needs no further request. */
export interface PagePreload {
  /** Scripts and styles of the screen, for the head. */
  tags: string;
  /** A script with the answers to the first calls, for the end of the body. */
  answers: string;
}

/** Make the function that answers what to preload for a page: its files and its first calls' answers. */
export function pagePreloader(settings: PreloadSettings, folder: string) {
  const { session, screens, besideScreens } = settings;
  const tagsOf = screenTags(folder);
  const prepared = screens.map(({ file, ...screen }) => ({
    ...screen,
    tags: tagsOf(file),
    adminTags: tagsOf(file, besideScreens?.chunk),
  }));

  return async (
    path: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<PagePreload> => {
    const screen = prepared.find((one) => one.path.test(path));
    const { actor } = request;
    const isAdmin = actor?.role === "admin";
    const tags = (isAdmin ? screen?.adminTags : screen?.tags) ?? "";
    if (request.isSessionUnknown) return { tags, answers: "" };
    const id = screen?.path.exec(path)?.[1] ?? "";
    const all = (actor && screen?.calls?.(actor, id)) ?? [];
    const isSearching = request.url.includes("?");
    const calls = all.filter(({ query }) => !query || !isSearching);
    const beside = (isAdmin && besideScreens?.calls) || [];
    const wanted = [{ endpoint: session }, ...calls, ...beside];
    const answers = await answerCalls(wanted, request, reply);
    return { tags, answers: answersScript(answers) };
  };
}

/**
 * Each answer as JSON text, by its call's address. A call that is refused or fails is left out: the browser makes
 * it as usual and shows the problem.
 */
async function answerCalls(
  calls: PreloadedCall[],
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

/** The address of a call, exactly as the browser's `call` builds it. */
function addressOf({ path }: Endpoint, { params = {}, query = {} }: RawInput): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ""),
  );
  const text = new URLSearchParams(query).toString();
  return text ? `${filled}?${text}` : filled;
}

/**
 * The answers as one JSON object in a script element that browsers do not run. Every `<` is escaped, so that no
 * value can end the element or open a comment.
 */
function answersScript(answers: Map<string, string>): string {
  const pairs = [...answers].map(([address, text]) => `${JSON.stringify(address)}:${text}`);
  const json = `{${pairs.join(",")}}`.replaceAll("<", "\\u003c");
  return `<script type="application/json" id="answers">${json}</script>`;
}
