import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";

/** A thread ended before its answer: out of memory, for example. */
export class ThreadEnded extends Error {}

/** What a thread posts when it is done. */
export type ThreadAnswer<Answer> = { answer: Answer } | { problem: unknown };

export interface ThreadSettings {
  /** The module that a thread runs: it answers what is posted to it with one `ThreadAnswer`. */
  file: URL;
  /** The most that a thread's objects may take; one that needs more ends, and the process goes on. */
  heapMegabytes: number;
  /** How long a thread that has nothing to do is kept, for the next task. */
  idleMs: number;
}

/**
 * Threads for work that takes a processor for long, so that the event loop is free for others. One is started when
 * none is idle: how many there are at once is for the caller to bound. They keep no process alive.
 */
export class Threads {
  readonly #settings: ThreadSettings;
  readonly #idle = new Map<Worker, NodeJS.Timeout>();
  #isClosed = false;

  constructor(settings: ThreadSettings) {
    this.#settings = settings;
  }

  /**
   * Post messages to a thread, in their order and with other work in between, and wait for its answer. When `signal`
   * is aborted the thread is ended and the call rejects with the signal's reason. Throws `ThreadEnded`, and what the
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

  /** End the threads that are idle now, and each other one when it has answered. */
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
    thread.on("error", () => undefined); // an idle one; a task hears of it by itself
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
