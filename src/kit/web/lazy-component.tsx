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
  /** The start of the error sentence: "This page", "The calendar". */
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
  /** Load the code ahead, so that no loading state is shown. Rejects if loading fails. */
  preload: () => Promise<void>;
}

/** A screen whose code is loaded when first shown. */
export function lazyScreen(load: () => Promise<ComponentType>): LazyComponent<object> {
  return lazyWithRetry({ what: "This page", isScreen: true }, load);
}

/** A part of a screen whose code is loaded when first shown, such as the calendar. */
export function lazyComponent<Props extends object>(
  what: string,
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  return lazyWithRetry({ what, isScreen: false }, load);
}

/**
 * If the code cannot be loaded, a message takes its place. Without a connection it has "Try again", and retries
 * automatically once there is one. Browsers cache that a module failed to load, so a retry mostly ends in reloading
 * the page: automatically if that loses nothing, otherwise by a button.
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
      last = attempt(); // `lazy` caches its result, including a failure
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
        Reload the page to continue.
      </EmptyState>
    </>
  );
}

function useLoadFailure(): LoadFailure {
  const trying = useContext(LoadFailureContext);
  if (!trying) throw new Error("A load failure is only known inside a lazy component.");
  return trying;
}
