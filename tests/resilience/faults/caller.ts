import { Envelope } from "#kit/contract/envelope.ts";

/** A browser's session cookie and CSRF token. */
export interface Session {
  cookie: string;
  csrf: string;
}

/** The result of a call: `status` is null without an answer. */
export interface Answer {
  status: number | null;
  object: unknown;
  message: string | null;
}

const timeoutMs = 60_000;

/** Call the product over HTTP. */
export async function call(
  address: string,
  session: Session,
  method: "GET" | "POST",
  path: string,
  body?: unknown,
): Promise<Answer> {
  try {
    const answer = await fetch(`${address}${path}`, {
      method,
      headers: {
        cookie: session.cookie,
        "x-csrf-token": session.csrf,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await answer.text();
    const envelope = Envelope.partial().safeParse(parsed(text));
    return {
      status: answer.status,
      object: envelope.data?.object ?? null,
      message: envelope.data?.message ?? null,
    };
  } catch (problem) {
    return { status: null, object: null, message: String(problem) };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // a file, or a truncated answer
  }
}

export const isDone = ({ status }: Answer) => status !== null && status < 300;

/** True if nobody knows yet whether it was done. */
const isOpen = ({ status, message }: Answer) =>
  status === null || status === 202 || (status >= 500 && !promisesNothing(message));

const promisesNothing = (message: string | null) => /nothing was changed/i.test(message ?? "");

/**
 * Compare the answers about one thing, requested once or repeatedly, with how often it is there: acknowledged
 * things must be there, nothing twice, and nothing for which every answer was a refusal.
 */
export function offence(what: string, answers: Answer[], count: number): string[] {
  if (count > 1) return [`${what} is there ${count} times`];
  if (count === 0 && answers.some(isDone)) return [`${what} was acknowledged and is not there`];
  const isDenied = answers.every((answer) => !isDone(answer) && !isOpen(answer));
  if (count === 1 && isDenied) {
    const said = answers.map(({ status, message }) => `${status} ${message}`).join(" / ");
    return [`${what} is there, although every answer refused it: ${said}`];
  }
  return [];
}

/** Requested things, by name, with every answer to them. */
export class Diary {
  readonly pages = new Map<string, Answer[]>();

  note(what: string, answer: Answer): Answer {
    this.pages.set(what, [...(this.pages.get(what) ?? []), answer]);
    return answer;
  }

  /** Names without an acknowledgement. */
  open(): string[] {
    return [...this.pages].filter(([, answers]) => !answers.some(isDone)).map(([what]) => what);
  }
}
