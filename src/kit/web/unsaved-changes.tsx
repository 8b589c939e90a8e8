import {
  createContext,
  type ReactNode,
  useContext,
  useLayoutEffect,
  useMemo,
  useSyncExternalStore,
} from "react";

/** A dialog or form whose unsaved changes are discarded together. The same object while it is shown. */
export interface UnsavedScope {
  readonly kind: "dialog" | "form";
}

interface UnsavedChange {
  /** The enclosing scopes, outermost first; empty for a change on the page itself. */
  scopes: readonly UnsavedScope[];
}

/** The scope whose changes would be lost, and what to do if the user agrees. */
interface DiscardPrompt {
  scope: UnsavedScope | undefined;
  proceed: () => void;
}

const unsaved = new Set<UnsavedChange>();
let prompt: DiscardPrompt | null = null;
const listeners = new Set<() => void>();

/** Null before sign-in, where nothing needs a prompt. */
const ScopesContext = createContext<readonly UnsavedScope[] | null>(null);

/** Tracks the unsaved changes of its children. `LeaveGuard` provides it. */
export function UnsavedChangesProvider({ children }: { children: ReactNode }) {
  return <ScopesContext value={pageScope}>{children}</ScopesContext>;
}

const pageScope: readonly UnsavedScope[] = [];

/** While true, leaving the enclosing scope or the page asks first. */
export function useUnsavedChanges(isUnsaved: boolean): void {
  const scopes = useContext(ScopesContext);
  useLayoutEffect(() => {
    if (!isUnsaved || !scopes) return undefined;
    const here = { scopes };
    unsaved.add(here);
    return () => {
      unsaved.delete(here);
      if (prompt && !hasUnsavedChanges(prompt.scope)) setPrompt(null); // it has been saved
    };
  }, [isUnsaved, scopes]);
}

/** Makes its children a scope of their own. */
export function UnsavedScopeProvider({
  scope,
  children,
}: {
  scope: UnsavedScope;
  children: ReactNode;
}) {
  const outer = useContext(ScopesContext);
  const scopes = useMemo(() => outer && [...outer, scope], [outer, scope]);
  return <ScopesContext value={scopes}>{children}</ScopesContext>;
}

/** Whether leaving a scope (by default the page) would lose changes. */
export function hasUnsavedChanges(scope?: UnsavedScope): boolean {
  return [...unsaved].some(({ scopes }) => scope === undefined || scopes.includes(scope));
}

/** Whether closing a dialog would lose changes. */
export function hasUnsavedDialog(): boolean {
  return [...unsaved].some(({ scopes }) => scopes.some((scope) => scope.kind === "dialog"));
}

/** Leave a scope or the page: immediately if nothing is lost, otherwise if the user agrees. */
export function confirmDiscard(proceed: () => void, scope?: UnsavedScope): void {
  if (hasUnsavedChanges(scope)) setPrompt({ scope, proceed });
  else proceed();
}

/** The open prompt, for the one dialog that shows it. */
export function useDiscardPrompt(): { agree: () => void; decline: () => void } | null {
  const shown = useSyncExternalStore(subscribe, () => prompt);
  if (!shown) return null;
  return {
    agree: () => {
      clearUnsaved(shown.scope);
      setPrompt(null);
      shown.proceed();
    },
    decline: () => setPrompt(null),
  };
}

/** Leave the app without a prompt: the input belongs to someone else, or was discarded. */
export function leaveWithoutConfirm(address: string): void {
  clearUnsaved(undefined);
  window.location.assign(address);
}

export function reloadWithoutConfirm(): void {
  clearUnsaved(undefined);
  window.location.reload();
}

function clearUnsaved(scope: UnsavedScope | undefined): void {
  for (const each of unsaved)
    if (scope === undefined || each.scopes.includes(scope)) unsaved.delete(each);
}

function setPrompt(shown: DiscardPrompt | null): void {
  prompt = shown;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
