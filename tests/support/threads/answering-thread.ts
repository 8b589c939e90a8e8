import { parentPort } from "node:worker_threads";

/* A thread for tests: it echoes, throws, fills its memory or works forever, as told. */

const kept: unknown[] = [];

parentPort?.on("message", (told: string) => {
  if (told === "work for ever") for (;;) kept.pop();
  if (told === "fill memory") for (;;) kept.push(Array.from({ length: 10_000 }, () => ({})));
  if (told === "throw") throw new Error("It was told to.");
  if (told === "nothing") return;
  const answer = told === "refuse" ? { problem: new Error("It was told to.") } : { answer: told };
  parentPort?.postMessage(answer, []);
});
