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
import { CallFailure } from "#web/call-failure.tsx";
import { reloadUnlessAway } from "./new-version.tsx";
import { whenServerIsThere } from "./server-status.tsx";
import { Button } from "./ui/Button.tsx";
import { PageHeading } from "./ui/PageHeading.tsx";
import { EmptyState, ErrorState } from "./ui/states.tsx";

interface Part {
  /** How the sentence begins that says what could not be loaded: "This page", "The calendar". */
  what: string;
  isScreen: boolean;
}

interface Trying extends Part {
  tryAgain: () => void;
  isTrying: boolean;
}

const TryingContext = createContext<Trying | null>(null);

export interface Later<Props> {
  (props: Props): ReactNode;
  /** Have the code before it is shown: it shows without a word of loading then. Fails as loading does. */
  loadAhead: () => Promise<void>;
}

/** A screen whose code is loaded when it is first shown. */
export function screenLoadedLater(load: () => Promise<ComponentType>): Later<object> {
  return withCodeLater({ what: "This page", isScreen: true }, load);
}

/** A part of a screen whose code is loaded when it is first shown: "The calendar", say. */
export function loadedLater<Props extends object>(
  what: string,
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  return withCodeLater({ what, isScreen: false }, load);
}

/**
 * Where the code does not come, its place says so: without a connection with "Try again", and it
 * tries again by itself once there is one. Browsers remember that a module did not come, so trying
 * again mostly ends in loading the page anew, at the address that was asked for: by itself where
 * that loses nothing, else by a button.
 */
function withCodeLater<Props extends object>(
  part: Part,
  load: () => Promise<ComponentType<Props>>,
): Later<Props> {
  let loaded: ComponentType<Props> | null = null;
  let wasAway = false;
  const attempt = (): LazyExoticComponent<ComponentType<Props>> =>
    lazy(async () => {
      try {
        return { default: await load() };
      } catch {
        const standing = await reloadUnlessAway({ wasAway });
        wasAway = standing === "away";
        return { default: wasAway ? NoConnection : MustReload };
      }
    });
  let last = attempt();

  function LoadedLater(props: Props) {
    const [Code, setCode] = useState<ComponentType<Props>>(() => loaded ?? last);
    const [isTrying, startTrying] = useTransition();
    const tryAgain = useCallback(() => {
      last = attempt(); // what one has come to stays so, a failure too
      startTrying(() => setCode(last));
    }, []);
    return (
      <TryingContext value={{ ...part, tryAgain, isTrying }}>
        <Code {...props} />
      </TryingContext>
    );
  }

  return Object.assign(LoadedLater, {
    loadAhead: async () => {
      loaded = await load();
    },
  });
}

const unreachable = new CallFailure(
  "no answer",
  "The server could not be reached. Check your connection and try again.",
);

function NoConnection() {
  const { what, isScreen, tryAgain, isTrying } = useFailure();
  useEffect(() => (isTrying ? undefined : whenServerIsThere(tryAgain)), [isTrying, tryAgain]);
  return (
    <>
      {isScreen && <PageHeading title="No connection" />}
      <ErrorState
        title={`${what} could not be loaded`}
        error={unreachable}
        pending={isTrying}
        onRetry={tryAgain}
      />
    </>
  );
}

function MustReload() {
  const { what, isScreen } = useFailure();
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

function useFailure(): Trying {
  const trying = useContext(TryingContext);
  if (!trying) throw new Error("Only a part that is loaded later can fail to load.");
  return trying;
}
