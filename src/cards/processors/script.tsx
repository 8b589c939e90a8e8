import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ErrorState, Loading } from "#kit/web/ui/states.tsx";

interface WithScriptProps {
  src: string | null;
  /** The hash that its vendor publishes: a changed script does not run. */
  integrity?: string | null;
  /** Whether the script can be used: some are ready only a while after loading. */
  isReady: () => boolean;
  children: () => ReactNode;
}

/** Renders its children once a processor's script is loaded and ready, or an error. */
export function WithScript({ src, integrity = null, isReady, children }: WithScriptProps) {
  const script = useQuery({
    queryKey: ["processor's script", src, integrity],
    queryFn: async () => {
      await loadScript(src, integrity);
      await waitUntilReady(isReady);
      return true;
    },
    staleTime: "static",
  });
  if (script.data) return children();
  if (!script.error) return <Loading />;
  return (
    <ErrorState
      title="The card form could not be loaded"
      error={script.error}
      pending={script.isFetching}
      onRetry={() => void script.refetch()}
    />
  );
}

/** A global set by a processor's script; its type cannot be checked. */
export function pageGlobal(name: string): unknown {
  return Reflect.get(window, name);
}

const unreachable =
  "The card processor could not be reached. Reload the page and try again, or pay by check.";

/** Keep the address unchanged: with a query string some scripts refuse to work. */
async function loadScript(src: string | null, integrity: string | null): Promise<void> {
  if (src === null) throw new Error(unreachable);
  const known = [...document.scripts].find((script) => script.src === src);
  if (known?.dataset["loaded"]) return;
  known?.remove(); // it failed, or its loading was given up
  const script = document.createElement("script");
  script.src = src;
  if (integrity !== null) {
    script.integrity = integrity;
    script.crossOrigin = "anonymous"; // browsers compare no hash of a script they may not read
  }
  await new Promise<void>((resolve, reject) => {
    script.addEventListener("load", () => {
      script.dataset["loaded"] = "true";
      resolve();
    });
    script.addEventListener("error", () => {
      script.remove();
      reportNotLoaded(src);
      reject(new Error(unreachable));
    });
    document.head.append(script);
  });
}

/** The address may be unreachable, or the content may not match the hash: report it to the operator. */
function reportNotLoaded(src: string): void {
  const body = { documentURL: window.location.href, blockedURL: src };
  const reports = JSON.stringify([{ type: "script-not-loaded", body }]);
  navigator.sendBeacon("/csp-reports", new Blob([reports], { type: "application/reports+json" }));
}

const readinessMs = 10_000;
const pauseMs = 50;

async function waitUntilReady(isReady: () => boolean): Promise<void> {
  const started = Date.now();
  while (!isReady()) {
    if (Date.now() - started > readinessMs) throw new Error(unreachable);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
