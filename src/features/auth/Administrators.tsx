import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "#web/api.tsx";
import { endpointQuery, refetch } from "#web/queries.tsx";
import { useSession } from "#web/session.tsx";
import { Button } from "#web/ui/Button.tsx";
import { type Column, DataTable } from "#web/ui/DataTable.tsx";
import { DayText } from "#web/ui/DayText.tsx";
import { Muted, Row } from "#web/ui/layout.tsx";
import { EmptyState, Notice } from "#web/ui/states.tsx";
import { StatusMark } from "#web/ui/StatusMark.tsx";
import {
  type Administrator,
  listAdministrators,
  removeAdministrator,
  removeSecondFactorOfAdministrator,
} from "./contract.ts";
import { InviteAdministratorDialog } from "./InviteAdministratorDialog.tsx";
import { RemoveSecondFactorButton } from "./RemoveSecondFactorButton.tsx";

/** The colleagues who administer the network, with inviting and removing them. */
export function Administrators() {
  const administrators = useQuery(endpointQuery(listAdministrators));
  const [isInviting, setInviting] = useState(false);
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
          <LostFactorButton administrator={one} onDone={setDone} />
          <RemoveButton administrator={one} onDone={setDone} />
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

/** One's own is removed under one's account. */
function LostFactorButton({ administrator, onDone }: RemoveButtonProps) {
  const { id, name, hasSecondFactor } = administrator;
  if (useSession().id === id || !hasSecondFactor) return null;
  return (
    <RemoveSecondFactorButton
      name={name}
      remove={() => call(removeSecondFactorOfAdministrator, { params: { id } })}
      onDone={(said) => {
        void refetch(listAdministrators);
        onDone(said);
      }}
    />
  );
}

interface RemoveButtonProps {
  administrator: Administrator;
  onDone: (done: string) => void;
}

function RemoveButton({ administrator, onDone }: RemoveButtonProps) {
  const { id, name } = administrator;
  const isOwn = useSession().id === id;
  const removing = useMutation({
    mutationFn: () => call(removeAdministrator, { params: { id } }),
    onSuccess: async () => {
      if (isOwn) return window.location.assign("/sign-in");
      await refetch(listAdministrators);
      onDone(`${name} is removed.`);
    },
  });
  const question = isOwn
    ? "Remove yourself? You are signed out at once and cannot come back without an invitation."
    : `Remove ${name}? They are signed out at once. What they did stays in the activity.`;
  return (
    <Button
      small
      kind="danger"
      pending={removing.isPending}
      label={`Remove ${name}`}
      onClick={() => {
        if (window.confirm(question)) removing.mutate();
      }}
    >
      Remove
    </Button>
  );
}
