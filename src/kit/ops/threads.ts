import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";

/** A thread ended before answering, for example out of memory. */
export class ThreadEnded extends Error {}

/** What a thread posts when it is done. */
export type ThreadAnswer<Answer> = { answer: Answer } | { problem: unknown };

export interface ThreadSettings {
  /** The module that a thread runs. It answers what is posted to it with one `ThreadAnswer`. */
  file: URL;
  /** The memory limit of a thread's objects. A thread that needs more ends; the process continues. */
  heapMegabytes: number;
  /** How long an idle thread is kept for the next task. */
  idleMs: number;
}

/**
 * Threads for work that uses a processor for long, so that the event loop stays free. A new one starts if none is
 * idle; the caller limits how many run at the same time. They keep no process alive.
 */
export class Threads {
  readonly #settings: ThreadSettings;
  readonly #idle = new Map<Worker, NodeJS.Timeout>();
  #isClosed = false;

  constructor(settings: ThreadSettings) {
    this.#settings = settings;
  }

  /**
   * Post messages to a thread in order, with other work in between, and wait for its answer. If `signal` is
   * aborted, the thread is ended and the call rejects with the signal's reason. Throws `ThreadEnded`, and what the
   * thread has thrown.
   */
  async run<Answer>(messages: Iterable<unknown>, signal: AbortSignal): Promise<Answer> {
    signal.throwIfAborted();
    const thread = this.#take();
    const abort = () => this.#end(thread);
    signal.addEventListener("abort", abort);
    let answer: ThreadAnswer<Answer>;
    try {
      answer = await answerTo<Answer>(thread, messages);
    } catch (problem) {
      this.#end(thread);
      signal.throwIfAborted();
      throw problem;
    } finally {
      signal.removeEventListener("abort", abort);
    }
    this.#keep(thread);
    if ("problem" in answer) throw answer.problem;
    return answer.answer;
  }

  /** End the idle threads now, and each other one after its answer. */
  close(): void {
    this.#isClosed = true;
    for (const thread of this.#idle.keys()) this.#end(thread);
  }

  #take(): Worker {
    const [thread] = this.#idle.keys();
    if (!thread) return this.#start();
    clearTimeout(this.#idle.get(thread));
    this.#idle.delete(thread);
    return thread;
  }

  #start(): Worker {
    const { file, heapMegabytes } = this.#settings;
    const thread = new Worker(file, {
      env: {}, // none of the process's secrets
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytes, maxYoungGenerationSizeMb: 4 },
    });
    thread.unref();
    thread.on("error", () => undefined); // an idle thread; a task listens itself
    thread.once("exit", () => this.#forget(thread));
    return thread;
  }

  #keep(thread: Worker): void {
    const timer = setTimeout(() => this.#end(thread), this.#settings.idleMs).unref();
    this.#idle.set(thread, timer);
    if (this.#isClosed) this.#end(thread);
  }

  #end(thread: Worker): void {
    this.#forget(thread);
    void thread.terminate();
  }

  #forget(thread: Worker): void {
    clearTimeout(this.#idle.get(thread));
    this.#idle.delete(thread);
  }
}

async function answerTo<Answer>(
  thread: Worker,
  messages: Iterable<unknown>,
): Promise<ThreadAnswer<Answer>> {
  const { promise, resolve, reject } = Promise.withResolvers<ThreadAnswer<Answer>>();
  promise.catch(() => undefined); // it may end while messages are still posted
  let cause: unknown;
  const onMessage = (answer: ThreadAnswer<Answer>) => resolve(answer);
  const onError = (problem: unknown) => (cause = problem);
  const onExit = () => reject(new ThreadEnded("The thread ended before its answer.", { cause }));
  thread.on("message", onMessage).on("error", onError).on("exit", onExit);
  try {
    for (const message of messages) {
      thread.postMessage(message, []);
      await nextTurn();
    }
    return await promise;
  } finally {
    thread.off("message", onMessage).off("error", onError).off("exit", onExit);
  }
}
