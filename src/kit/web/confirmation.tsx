import { useSyncExternalStore } from "react";
import { confirmationPath, Envelope, pageOwnerPath } from "#kit/contract/envelope.ts";
import type { ServerAnswer } from "#kit/web/send.tsx";

/** Calls that wait until the person has proved who it is; they share one dialog. */
let waiting: PromiseWithResolvers<boolean> | null = null;
const listeners = new Set<() => void>();

const Refused = Envelope.pick({ errors: true });

/** Whether a call was refused until the person proves again who it is. */
export const needsConfirmation = (answer: ServerAnswer): boolean =>
  pathOfRefusal(answer) === confirmationPath;

/** Whether a call was refused because somebody else has signed in since its page was opened. */
export const isOtherOwners = (answer: ServerAnswer): boolean =>
  pathOfRefusal(answer) === pageOwnerPath;

function pathOfRefusal({ status, json }: ServerAnswer): string | undefined {
  return status === 403 ? Refused.safeParse(json).data?.errors?.[0]?.path : undefined;
}

/**
 * Have the person prove who it is, by the dialog of this page. Answers whether that was done; false where it was
 * closed, or where nobody is signed in.
 */
export async function askForConfirmation(): Promise<boolean> {
  if (listeners.size === 0) return false;
  if (!waiting) {
    waiting = Promise.withResolvers();
    announce();
  }
  return await waiting.promise;
}

/** Whether somebody is being asked, and how to say what came of it: for the one dialog that asks. */
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
