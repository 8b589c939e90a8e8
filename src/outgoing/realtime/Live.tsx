import { useEffect, useState } from "react";
import { addressElsewhere } from "#kit/web/page-meta.tsx";
import { queryClient, refetchShown } from "#kit/web/queries.tsx";
import { useSession } from "#kit/web/session.tsx";
import { recheckSession } from "#kit/web/sign-in-redirect.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { refetchUnanswered } from "./refetch-unanswered.tsx";
import { scheduleRefetches } from "./refetch-scheduler.tsx";
import type { CableListener, CableState, ChannelWanted } from "./cable-client.tsx";
import css from "./live.module.css";

/**
 * Keeps the open screen up to date: each real-time hint refetches only what the screen shows and keeps what is being
 * typed. Shows a notice if updates stop for good or for long. The client's code loads after the first screen. When a
 * tab becomes visible, TanStack Query refetches automatically.
 */
export function Live() {
  const { id, role, attorneyId } = useSession();
  const [state, setState] = useState<CableState>("connecting");

  // A socket lives outside React, so this needs an effect.
  useEffect(() => {
    const reports = scheduleRefetches(() => refetchShown(isOfReports));
    const others = scheduleRefetches(() => refetchShown((path) => !isOfReports(path)));
    // A running report sends a hint every second. Today only counts finished reports, so it refetches less often.
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
      if (next === "live") void refetchUnanswered();
      if (next === "ended") recheckSession(); // the usual reason is a session that has ended
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
          ? "This page no longer updates automatically."
          : "This page is not updating right now. Trying again..."}
        {elsewhere !== null && (
          <>
            {" "}
            Updates may work only at <a href={elsewhere}>{elsewhere}</a>.
          </>
        )}
      </span>
      <Button small kind="quiet" pending={false} onClick={() => location.reload()}>
        Reload
      </Button>
    </output>
  );
}

/** Listen once the client's code has loaded. Returns a function that stops listening. */
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
      // Offline, the code does not load either. The page already shows that it is not updating.
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

/** Whether updates have stopped for longer than a restart takes. */
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

/** Calls that the exports channel refetches. Paths, because the contract must stay out of the lawyers' code. */
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
