import { useSyncExternalStore } from "react";
import { confirmationPath, Envelope, pageOwnerPath } from "#kit/contract/envelope.ts";
import type { ServerAnswer } from "#kit/web/send.tsx";

/** Calls waiting until the user confirms who they are. They share one dialog. */
let waiting: PromiseWithResolvers<boolean> | null = null;
const listeners = new Set<() => void>();

const Refused = Envelope.pick({ errors: true });

/** Whether a call was refused until the user confirms who they are. */
export const needsConfirmation = (answer: ServerAnswer): boolean =>
  pathOfRefusal(answer) === confirmationPath;

/** Whether a call was refused because someone else has signed in since the page was opened. */
export const isOtherOwners = (answer: ServerAnswer): boolean =>
  pathOfRefusal(answer) === pageOwnerPath;

function pathOfRefusal({ status, json }: ServerAnswer): string | undefined {
  return status === 403 ? Refused.safeParse(json).data?.errors?.[0]?.path : undefined;
}

/**
 * Open the dialog that asks the user to confirm who they are. Answers whether they did; false if it was closed or
 * no one is signed in.
 */
export async function askForConfirmation(): Promise<boolean> {
  if (listeners.size === 0) return false;
  if (!waiting) {
    waiting = Promise.withResolvers();
    announce();
  }
  return await waiting.promise;
}

/** Whether the user is being asked, and how to report the outcome. For the one dialog that asks. */
export function useConfirmation(): { isAsked: boolean; settle: (isConfirmed: boolean) => void } {
  return { isAsked: useSyncExternalStore(subscribe, isAsked), settle };
}

const isAsked = () => waiting !== null;

function settle(isConfirmed: boolean): void {
  waiting?.resolve(isConfirmed);
  waiting = null;
  announce();
}

function announce(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
