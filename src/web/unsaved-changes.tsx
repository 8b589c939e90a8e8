import {
  createContext,
  type ReactNode,
  useContext,
  useLayoutEffect,
  useMemo,
  useSyncExternalStore,
} from "react";

/** What is left as a whole, with all that was entered in it. The same object while it is shown. */
export interface Place {
  readonly is: "dialog" | "form";
}

interface Unsaved {
  /** Where it stands, the outermost place first; none for what stands on the page alone. */
  places: readonly Place[];
}

/** What would be lost, and what goes on once that has been agreed to. */
interface Question {
  place: Place | undefined;
  proceed: () => void;
}

const unsaved = new Set<Unsaved>();
let question: Question | null = null;
const watchers = new Set<() => void>();

/** Null where nobody is asked: before signing in nothing is entered that would be missed. */
const PlacesContext = createContext<readonly Place[] | null>(null);

/** Within it, what was entered is not lost without asking; `LeaveGuard` provides it. */
export function KeepsUnsaved({ children }: { children: ReactNode }) {
  return <PlacesContext value={nowhere}>{children}</PlacesContext>;
}

const nowhere: readonly Place[] = [];

/** Something was entered here that nobody has saved: leaving its place, or the page, asks first. */
export function useUnsaved(isUnsaved: boolean): void {
  const places = useContext(PlacesContext);
  useLayoutEffect(() => {
    if (!isUnsaved || !places) return undefined;
    const here = { places };
    unsaved.add(here);
    return () => {
      unsaved.delete(here);
      if (question && !hasUnsaved(question.place)) ask(null); // it was saved meanwhile
    };
  }, [isUnsaved, places]);
}

/** Makes its content a place of its own. */
export function UnsavedPlace({ place, children }: { place: Place; children: ReactNode }) {
  const around = useContext(PlacesContext);
  const places = useMemo(() => around && [...around, place], [around, place]);
  return <PlacesContext value={places}>{children}</PlacesContext>;
}

/** Whether something would be lost by leaving a place; without one, by leaving the page. */
export function hasUnsaved(place?: Place): boolean {
  return [...unsaved].some(({ places }) => place === undefined || places.includes(place));
}

/** Whether something would be lost if a dialog were gone. */
export function hasUnsavedDialog(): boolean {
  return [...unsaved].some(({ places }) => places.some((place) => place.is === "dialog"));
}

/** Leave a place, or the page: at once where nothing is lost by it, else if that is agreed to. */
export function askFirst(proceed: () => void, place?: Place): void {
  if (hasUnsaved(place)) ask({ place, proceed });
  else proceed();
}

/** What is being asked now, for the one dialog that asks. */
export function useQuestion(): { agree: () => void; decline: () => void } | null {
  const asked = useSyncExternalStore(watch, () => question);
  if (!asked) return null;
  return {
    agree: () => {
      forgetIn(asked.place);
      ask(null);
      asked.proceed();
    },
    decline: () => ask(null),
  };
}

/** Leave the app without asking: what was entered is another person's, or has been given up. */
export function leaveWithoutAsking(address: string): void {
  forgetIn(undefined);
  window.location.assign(address);
}

function forgetIn(place: Place | undefined): void {
  for (const each of unsaved)
    if (place === undefined || each.places.includes(place)) unsaved.delete(each);
}

function ask(asked: Question | null): void {
  question = asked;
  for (const told of watchers) told();
}

function watch(told: () => void): () => void {
  watchers.add(told);
  return () => watchers.delete(told);
}
