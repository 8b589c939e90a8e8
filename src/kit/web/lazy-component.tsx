import {
  type ComponentType,
  createContext,
  lazy,
  type LazyExoticComponent,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useState,
  useTransition,
} from "react";
import { CallFailure } from "#kit/web/call-failure.tsx";
import { reloadUnlessUnreachable } from "./new-version.tsx";
import { whenServerReachable } from "./server-status.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { PageHeading } from "#kit/web/ui/PageHeading.tsx";
import { EmptyState, ErrorState } from "#kit/web/ui/states.tsx";

interface Part {
  /** How the sentence begins that says what could not be loaded: "This page", "The calendar". */
  what: string;
  isScreen: boolean;
}

interface LoadFailure extends Part {
  retry: () => void;
  isRetrying: boolean;
}

const LoadFailureContext = createContext<LoadFailure | null>(null);

export interface LazyComponent<Props> {
  (props: Props): ReactNode;
  /** Load the code ahead, so that no loading state is shown. Rejects when loading fails. */
  preload: () => Promise<void>;
}

/** A screen whose code is loaded when it is first shown. */
export function lazyScreen(load: () => Promise<ComponentType>): LazyComponent<object> {
  return lazyWithRetry({ what: "This page", isScreen: true }, load);
}

/** A part of a screen whose code is loaded when it is first shown: "The calendar", say. */
export function lazyComponent<Props extends object>(
  what: string,
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  return lazyWithRetry({ what, isScreen: false }, load);
}

/**
 * Where the code cannot be loaded, a message takes its place: without a connection with "Try again",
 * and it retries by itself once there is one. Browsers cache that a module failed to load, so a retry
 * mostly ends in reloading the page at its address: automatically where that loses nothing, else by
 * a button.
 */
function lazyWithRetry<Props extends object>(
  part: Part,
  load: () => Promise<ComponentType<Props>>,
): LazyComponent<Props> {
  let loaded: ComponentType<Props> | null = null;
  let wasUnreachable = false;
  const attempt = (): LazyExoticComponent<ComponentType<Props>> =>
    lazy(async () => {
      try {
        return { default: await load() };
      } catch {
        const server = await reloadUnlessUnreachable({ wasAway: wasUnreachable });
        wasUnreachable = server === "away";
        return { default: wasUnreachable ? NoConnection : ReloadNeeded };
      }
    });
  let last = attempt();

  function LazyWithRetry(props: Props) {
    const [Code, setCode] = useState<ComponentType<Props>>(() => loaded ?? last);
    const [isRetrying, startRetry] = useTransition();
    const retry = useCallback(() => {
      last = attempt(); // `lazy` caches its result, a failure too
      startRetry(() => setCode(last));
    }, []);
    return (
      <LoadFailureContext value={{ ...part, retry, isRetrying }}>
        <Code {...props} />
      </LoadFailureContext>
    );
  }

  return Object.assign(LazyWithRetry, {
    preload: async () => {
      loaded = await load();
    },
  });
}

const unreachable = new CallFailure(
  "no answer",
  "The server could not be reached. Check your connection and try again.",
);

function NoConnection() {
  const { what, isScreen, retry, isRetrying } = useLoadFailure();
  useEffect(() => (isRetrying ? undefined : whenServerReachable(retry)), [isRetrying, retry]);
  return (
    <>
      {isScreen && <PageHeading title="No connection" />}
      <ErrorState
        title={`${what} could not be loaded`}
        error={unreachable}
        pending={isRetrying}
        onRetry={retry}
      />
    </>
  );
}

function ReloadNeeded() {
  const { what, isScreen } = useLoadFailure();
  return (
    <>
      {isScreen && <PageHeading title="Reload this page" />}
      <EmptyState
        title={`${what} could not be loaded`}
        action={
          <Button pending={false} onClick={() => window.location.reload()}>
            Reload the page
          </Button>
        }
      >
        Reload the page to go on.
      </EmptyState>
    </>
  );
}

function useLoadFailure(): LoadFailure {
  const trying = useContext(LoadFailureContext);
  if (!trying) throw new Error("Only a part that is loaded later can fail to load.");
  return trying;
}
