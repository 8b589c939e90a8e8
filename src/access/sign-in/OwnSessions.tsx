import { useMutation, useQuery } from "@tanstack/react-query";
import { call } from "#kit/web/api.tsx";
import { endpointQuery } from "#kit/web/queries.tsx";
import { useSession } from "#kit/web/session.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { type Column, DataTable } from "#kit/web/ui/DataTable.tsx";
import { TimeText } from "#kit/web/ui/DayText.tsx";
import { Muted } from "#kit/web/ui/layout.tsx";
import { EmptyState, Notice } from "#kit/web/ui/states.tsx";
import { endOtherSessions, endSession, listSessions, type OwnSession } from "./contract.ts";
import type { WithNotice } from "./security-notice.tsx";

const idleLimit = { admin: "12 hours", attorney: "14 days" };

/** The user's sessions, with buttons to end them. Refetched when the window gets focus. */
export function OwnSessions({ done, onDone }: WithNotice) {
  const sessions = useQuery(endpointQuery(listSessions));
  const { role } = useSession();
  const others = sessions.data?.filter(({ isCurrent }) => !isCurrent).length ?? 0;
  const columns: Column<OwnSession>[] = [
    { heading: "Device", cell: (one) => <Device of={one} /> },
    { heading: "Address", cell: ({ address }) => address ?? "Not provided" },
    { heading: "Signed in", nowrap: true, cell: ({ createdAt }) => <TimeText at={createdAt} /> },
    {
      heading: "Last seen",
      nowrap: true,
      cell: ({ isCurrent, lastSeenAt }) => (isCurrent ? "Now" : <TimeText at={lastSeenAt} />),
    },
  ];
  if (others > 0)
    columns.push({
      heading: "Actions",
      actions: true,
      cell: (one) => !one.isCurrent && <SignOutButton session={one} onDone={onDone} />,
    });
  return (
    <>
      <p>{`A session ends after ${idleLimit[role]} without use, or 30 days after signing in.`}</p>
      <Notice>{done}</Notice>
      <DataTable
        caption="Where you are signed in"
        captionHidden
        columns={columns}
        rows={sessions.data}
        keyOf={({ id }) => id}
        empty={<EmptyState title="You are not signed in anywhere" />}
        pending={sessions.isFetching}
        error={sessions.error}
        onRetry={() => void sessions.refetch()}
      />
      {others > 0 && <SignOutElsewhere onDone={onDone} />}
      {sessions.data && others === 0 && (
        <p>
          <Muted>You are not signed in anywhere else.</Muted>
        </p>
      )}
    </>
  );
}

function Device({ of: { device, isCurrent } }: { of: OwnSession }) {
  return isCurrent ? (
    <span>
      {device} <Muted>(this one)</Muted>
    </span>
  ) : (
    device
  );
}

interface SignOutButtonProps {
  session: OwnSession;
  onDone: (done: string) => void;
}

function SignOutButton({ session: { id, device, address }, onDone }: SignOutButtonProps) {
  const ending = useMutation({
    mutationFn: () => call(endSession, { params: { id } }),
    onSuccess: () => onDone(`${device} was signed out.`),
  });
  return (
    <Button
      small
      pending={ending.isPending}
      label={`Sign out ${address ? `${device} at ${address}` : device}`}
      onClick={() => ending.mutate()}
    >
      Sign out
    </Button>
  );
}

function SignOutElsewhere({ onDone }: { onDone: (done: string) => void }) {
  const ending = useMutation({
    mutationFn: () => call(endOtherSessions),
    onSuccess: () => onDone("You have been signed out everywhere else."),
  });
  return (
    <div className="actions">
      <Button pending={ending.isPending} onClick={() => ending.mutate()}>
        Sign out everywhere else
      </Button>
    </div>
  );
}
