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

const leftAlone = { admin: "12 hours", attorney: "14 days" };

/** Where one is signed in, with signing out there. Brought up to date when the window is looked at again. */
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
      <p>{`A session ends when it is not used for ${leftAlone[role]}, and 30 days after signing in.`}</p>
      <Notice>{done}</Notice>
      <DataTable
        caption="Where you are signed in"
        captionHidden
        columns={columns}
        rows={sessions.data}
        keyOf={({ id }) => id}
        empty={<EmptyState title="You are signed in nowhere" />}
        pending={sessions.isFetching}
        error={sessions.error}
        onRetry={() => void sessions.refetch()}
      />
      {others > 0 && <SignOutElsewhere onDone={onDone} />}
      {sessions.data && others === 0 && (
        <p>
          <Muted>You are signed in nowhere else.</Muted>
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
    onSuccess: () => onDone(`${device} is signed out.`),
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
    onSuccess: () => onDone("You are signed out everywhere else."),
  });
  return (
    <div className="actions">
      <Button pending={ending.isPending} onClick={() => ending.mutate()}>
        Sign out everywhere else
      </Button>
    </div>
  );
}
