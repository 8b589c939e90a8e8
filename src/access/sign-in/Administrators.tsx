import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "#kit/web/api.tsx";
import { endpointQuery } from "#kit/web/queries.tsx";
import { useSession } from "#kit/web/session.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { type Column, DataTable } from "#kit/web/ui/DataTable.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { Muted, Row } from "#kit/web/ui/layout.tsx";
import { EmptyState, Notice } from "#kit/web/ui/states.tsx";
import { StatusMark } from "#kit/web/ui/StatusMark.tsx";
import {
  type Administrator,
  endSessionsOfAdministrator,
  listAdministrators,
  removeSecondFactorOfAdministrator,
} from "./contract.ts";
import { InviteAdministratorDialog } from "./InviteAdministratorDialog.tsx";
import { RemoveAdministratorDialog } from "./RemoveAdministratorDialog.tsx";
import { RemoveSecondFactorButton } from "./RemoveSecondFactorButton.tsx";
import { SignOutEverywhereButton } from "./SignOutEverywhereButton.tsx";

/** The network's administrators, with buttons to invite and remove them. */
export function Administrators() {
  const administrators = useQuery(endpointQuery(listAdministrators));
  const [isInviting, setInviting] = useState(false);
  const [removed, setRemoved] = useState<Administrator | null>(null);
  const [done, setDone] = useState<string | null>(null);
  const columns: Column<Administrator>[] = [
    { heading: "Name", cell: (one) => <Name of={one} /> },
    { heading: "Email", cell: ({ email }) => email },
    { heading: "Status", cell: (one) => <AccountStatus of={one} /> },
    { heading: "Second factor", cell: (one) => <FactorStatus of={one} /> },
    { heading: "Added", cell: ({ createdAt }) => <DayText on={createdAt} /> },
    {
      heading: "Actions",
      actions: true,
      cell: (one) => (
        <Row>
          <SignOutButton administrator={one} onDone={setDone} />
          <LostFactorButton administrator={one} onDone={setDone} />
          <Button
            small
            kind="danger"
            pending={false}
            label={`Remove ${one.name}`}
            onClick={() => {
              setDone(null);
              setRemoved(one);
            }}
          >
            Remove
          </Button>
        </Row>
      ),
    },
  ];
  return (
    <>
      <Notice>{done}</Notice>
      <DataTable
        caption="Administrators"
        captionHidden
        columns={columns}
        rows={administrators.data}
        keyOf={(one) => one.id}
        empty={<EmptyState title="No administrators" />}
        pending={administrators.isFetching}
        error={administrators.error}
        onRetry={() => void administrators.refetch()}
      />
      <div className="actions">
        <Button
          pending={false}
          onClick={() => {
            setDone(null);
            setInviting(true);
          }}
        >
          Invite an administrator
        </Button>
      </div>
      {isInviting && <InviteAdministratorDialog onClose={() => setInviting(false)} />}
      {removed && (
        <RemoveAdministratorDialog
          administrator={removed}
          onClose={() => setRemoved(null)}
          onDone={(said) => {
            setRemoved(null);
            setDone(said);
          }}
        />
      )}
    </>
  );
}

function Name({ of: { id, name } }: { of: Administrator }) {
  return useSession().id === id ? (
    <span>
      {name} <Muted>(you)</Muted>
    </span>
  ) : (
    name
  );
}

function AccountStatus({ of: { canSignIn } }: { of: Administrator }) {
  return canSignIn ? (
    <StatusMark tone="good">Can sign in</StatusMark>
  ) : (
    <StatusMark tone="waiting">Invited</StatusMark>
  );
}

function FactorStatus({ of: { hasSecondFactor } }: { of: Administrator }) {
  return hasSecondFactor ? (
    <StatusMark tone="good">Set up</StatusMark>
  ) : (
    <StatusMark tone="quiet">None</StatusMark>
  );
}

/** Hidden for oneself, who does this under "Your account". */
function LostFactorButton({ administrator, onDone }: RowButtonProps) {
  const { id, name, hasSecondFactor } = administrator;
  if (useSession().id === id || !hasSecondFactor) return null;
  return (
    <RemoveSecondFactorButton
      name={name}
      remove={() => call(removeSecondFactorOfAdministrator, { params: { id } })}
      onDone={onDone}
    />
  );
}

/** Hidden for oneself, who does this under "Your account". */
function SignOutButton({ administrator: { id, name, canSignIn }, onDone }: RowButtonProps) {
  if (useSession().id === id || !canSignIn) return null;
  return (
    <SignOutEverywhereButton
      name={name}
      signOut={() => call(endSessionsOfAdministrator, { params: { id } })}
      onDone={onDone}
    />
  );
}

interface RowButtonProps {
  administrator: Administrator;
  onDone: (done: string) => void;
}
