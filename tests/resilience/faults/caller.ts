import { Envelope } from "#kit/contract/envelope.ts";

/** What a browser holds of a session. */
export interface Session {
  cookie: string;
  csrf: string;
}

/** What came of a call: `status` is null when nobody answered. */
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
    return null; // a file, or an answer cut short
  }
}

export const isDone = ({ status }: Answer) => status !== null && status < 300;

/** Nobody knows yet whether it was done. */
const isOpen = ({ status, message }: Answer) =>
  status === null || status === 202 || (status >= 500 && !promisesNothing(message));

const promisesNothing = (message: string | null) => /nothing was changed/i.test(message ?? "");

/**
 * Hold what was answered about one thing, asked for once or again and again, against how often it
 * is there: what was acknowledged is there, nothing is there twice, and nothing is there of which
 * every answer said that it was not done.
 */
export function offence(what: string, answers: Answer[], count: number): string[] {
  if (count > 1) return [`${what} is there ${count} times`];
  if (count === 0 && answers.some(isDone)) return [`${what} was acknowledged and is not there`];
  const isDenied = answers.every((answer) => !isDone(answer) && !isOpen(answer));
  if (count === 1 && isDenied) {
    const said = answers.map(({ status, message }) => `${status} ${message}`).join(" / ");
    return [`${what} is there, and every answer said that it was not done: ${said}`];
  }
  return [];
}

/** What was asked for, by name, with every answer to it. */
export class Diary {
  readonly pages = new Map<string, Answer[]>();

  note(what: string, answer: Answer): Answer {
    this.pages.set(what, [...(this.pages.get(what) ?? []), answer]);
    return answer;
  }

  /** What nobody has acknowledged. */
  open(): string[] {
    return [...this.pages].filter(([, answers]) => !answers.some(isDone)).map(([what]) => what);
  }
}
