import { useEffect, useState } from "react";
import { addressElsewhere } from "#kit/web/page-meta.tsx";
import { queryClient, refetchShown } from "#kit/web/queries.tsx";
import { useSession } from "#kit/web/session.tsx";
import { doubtSession } from "#kit/web/sign-in-redirect.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { askForWhatWasMissed } from "./ask-for-what-was-missed.tsx";
import { scheduleRefetches } from "./refetch-scheduler.tsx";
import type { CableListener, CableState, ChannelWanted } from "./cable-client.tsx";
import css from "./live.module.css";

/**
 * Keeps whatever screen is open up to date: each hint of the real-time channel asks again what the
 * screen shows, and nothing else; what is being typed stays. Says so when changes stop arriving for
 * good, or for long. The client's code comes after the first screen has been shown. When a tab is
 * looked at again, TanStack Query asks by itself.
 */
export function Live() {
  const { id, role, attorneyId } = useSession();
  const [state, setState] = useState<CableState>("connecting");

  // A socket lives outside of React: this is what effects are for.
  useEffect(() => {
    const reports = scheduleRefetches(() => refetchShown(isOfReports));
    const others = scheduleRefetches(() => refetchShown((path) => !isOfReports(path)));
    // A report tells of itself every second while it is made: the first page counts those that are done.
    const overview = scheduleRefetches(() => refetchShown((path) => path === "/overview"), 5_000);
    const onHint = (channel: string) => {
      if (channel !== exportsChannel) return others.hint();
      reports.hint();
      overview.hint();
    };
    const unwatch = queryClient.getQueryCache().subscribe((event) => {
      if (event.type !== "updated" || event.action.type !== "fetch") return;
      (isOfReports(event.query.queryKey[0]) ? reports : others).asked();
    });
    const channels = channelsOf({ id, role, attorneyId });
    const onState = (next: CableState) => {
      setState(next);
      if (next === "live") void askForWhatWasMissed();
      if (next === "ended") doubtSession(); // the usual reason is a session that has ended
    };
    const leave = listenLater(channels, { onHint, onState });
    return () => {
      leave();
      unwatch();
      reports.stop();
      overview.stop();
      others.stop();
    };
  }, [id, role, attorneyId]);

  const isLate = useLateness(state);
  const elsewhere = addressElsewhere();
  if (state !== "ended" && !isLate) return null;
  return (
    <output className={css["ended"]}>
      <span>
        {state === "ended"
          ? "This page no longer hears of changes."
          : "Changes do not reach this page at the moment. Trying again..."}
        {elsewhere !== null && (
          <>
            {" "}
            They may reach it at <a href={elsewhere}>{elsewhere}</a> only.
          </>
        )}
      </span>
      <Button small kind="quiet" pending={false} onClick={() => location.reload()}>
        Reload
      </Button>
    </output>
  );
}

/** Listen as soon as the client's code has come, until the answered function is called. */
function listenLater(channels: ChannelWanted[], listener: CableListener): () => void {
  let leave: (() => void) | null = null;
  let again: ReturnType<typeof setTimeout> | undefined;
  const stopping = new AbortController();
  const begin = async () => {
    clearTimeout(again);
    try {
      const { listen } = await import("./cable-client.tsx");
      if (!stopping.signal.aborted) leave ??= listen(channels, listener);
    } catch {
      // Without a connection the code does not come either; the page says that it hears of nothing.
      if (!stopping.signal.aborted) again = setTimeout(() => void begin(), againMs);
    }
  };
  window.addEventListener("online", () => void begin(), { signal: stopping.signal });
  void begin();
  return () => {
    stopping.abort();
    clearTimeout(again);
    leave?.();
  };
}

const againMs = 5_000;

/** Whether changes have not arrived for longer than coming back after a restart takes. */
function useLateness(state: CableState): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = state === "connecting" ? setTimeout(() => setLate(true), lateMs) : undefined;
    return () => {
      clearTimeout(timer);
      setLate(false);
    };
  }, [state]);
  return isLate;
}

const lateMs = 25_000;

const exportsChannel = "DataExportsChannel";

/** What that channel tells of, every second while a report is prepared. Its contract stays an administrator's code. */
function isOfReports(path: unknown): boolean {
  return path === "/data_exports" || path === "/data_export_schedules";
}

function channelsOf(user: {
  id: number;
  role: "admin" | "attorney";
  attorneyId: number | null;
}): ChannelWanted[] {
  return user.role === "admin"
    ? [
        { channel: "LrsSubscriptionsChannel", user_id: user.id },
        { channel: exportsChannel, user_id: user.id },
      ]
    : [{ channel: "AttorneyDashboardChannel", attorney_id: user.attorneyId ?? 0 }];
}
