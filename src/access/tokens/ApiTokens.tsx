import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { call } from "#kit/web/api.tsx";
import { endpointQuery, useList } from "#kit/web/queries.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { type Column, DataTable } from "#kit/web/ui/DataTable.tsx";
import { DayText, TimeText } from "#kit/web/ui/DayText.tsx";
import { Muted, Section } from "#kit/web/ui/layout.tsx";
import { EmptyState, Notice } from "#kit/web/ui/states.tsx";
import { StatusMark } from "#kit/web/ui/StatusMark.tsx";
import { type ApiToken, listApiTokens, revokeApiToken } from "./contract.ts";
import { MakeTokenDialog } from "./MakeTokenDialog.tsx";

const mostShown = 200;

/** The network's API tokens, with buttons to make and revoke them. */
export function ApiTokens() {
  const tokens = useList(endpointQuery(listApiTokens, { query: { page: 1, per_page: mostShown } }));
  const [isMaking, setMaking] = useState(false);
  const [done, setDone] = useState<string | null>(null);
  const columns: Column<ApiToken>[] = [
    { heading: "Name", cell: (token) => <TokenName of={token} /> },
    { heading: "Scope", cell: ({ scope }) => scopeWords[scope] },
    { heading: "Made", cell: (token) => <Made of={token} /> },
    { heading: "Last used", cell: ({ lastUsedAt }) => <LastUse at={lastUsedAt} /> },
    { heading: "Expires", cell: (token) => <Expiry of={token} />, nowrap: true },
    { heading: "Status", cell: (token) => <TokenStatus of={token} /> },
    {
      heading: "Actions",
      actions: true,
      cell: (token) =>
        token.status === "revoked" ? null : <RevokeButton token={token} onDone={setDone} />,
    },
  ];
  const handleMake = () => {
    setDone(null);
    setMaking(true);
  };
  const makeButton = (
    <Button pending={false} onClick={handleMake}>
      Make a token
    </Button>
  );
  return (
    <Section title="API tokens" actions={tokens.data?.total ? makeButton : null}>
      <p>
        With a token, your own program can do what an administrator does here, such as fetch
        payments for your accounting or add attorneys from your membership list. It uses{" "}
        <a href="/api/docs">the HTTP interface</a>.
      </p>
      <Notice>{done}</Notice>
      <DataTable
        caption="API tokens"
        captionHidden
        columns={columns}
        rows={tokens.data?.items}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title="No tokens yet" action={makeButton}>
            Make one for each program, so you can revoke them separately.
          </EmptyState>
        }
        pending={tokens.isFetching}
        error={tokens.error}
        onRetry={() => void tokens.refetch()}
      />
      {(tokens.data?.total ?? 0) > mostShown && (
        <Muted>
          Older revoked tokens are in the <Link to="/admin/activity">activity</Link>.
        </Muted>
      )}
      {isMaking && <MakeTokenDialog onClose={() => setMaking(false)} />}
    </Section>
  );
}

const scopeWords: Record<ApiToken["scope"], string> = { read: "Read", write: "Read and write" };

function TokenName({ of: { name, lastFour } }: { of: ApiToken }) {
  return (
    <span>
      {name} <Muted small>(ends in {lastFour})</Muted>
    </span>
  );
}

/** Shows who made a token, because they may know it even after leaving. */
function Made({ of: { createdBy, createdById, createdAt } }: { of: ApiToken }) {
  return (
    <span>
      <DayText on={createdAt} /> by {createdBy}
      {createdById === null && <Muted> (has left)</Muted>}
    </span>
  );
}

function LastUse({ at }: { at: string | null }) {
  return at === null ? <Muted>Never</Muted> : <TimeText at={at} />;
}

/** The last day on which a token works. */
function Expiry({ of: { expiresAt } }: { of: ApiToken }) {
  if (expiresAt === null) return <Muted>Never</Muted>;
  return <DayText on={new Date(Date.parse(expiresAt) - 1).toISOString()} />;
}

function TokenStatus({ of: { status } }: { of: ApiToken }) {
  if (status === "active") return <StatusMark tone="good">Active</StatusMark>;
  return <StatusMark tone="quiet">{status === "expired" ? "Expired" : "Revoked"}</StatusMark>;
}

interface RevokeButtonProps {
  token: ApiToken;
  onDone: (done: string) => void;
}

function RevokeButton({ token: { id, name }, onDone }: RevokeButtonProps) {
  const revoking = useMutation({
    mutationFn: () => call(revokeApiToken, { params: { id } }),
    onSuccess: () => onDone(`${name} was revoked.`),
  });
  const question = `Revoke ${name}? The program that uses it will be refused from its next request on. This cannot be undone.`;
  return (
    <Button
      small
      kind="danger"
      pending={revoking.isPending}
      label={`Revoke ${name}`}
      onClick={() => {
        if (window.confirm(question)) revoking.mutate();
      }}
    >
      Revoke
    </Button>
  );
}
