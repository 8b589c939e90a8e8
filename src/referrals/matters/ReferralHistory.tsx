import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { endpointQuery } from "#kit/web/queries.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { type Column, DataTable } from "#kit/web/ui/DataTable.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { Muted, Row, Section } from "#kit/web/ui/layout.tsx";
import { EmptyState, Notice } from "#kit/web/ui/states.tsx";
import { listReferrals, type Matter, type MatterReferral } from "./contract.ts";
import css from "./matters.module.css";
import { ReassignDialog } from "./ReassignDialog.tsx";
import { WithdrawDialog } from "./WithdrawDialog.tsx";

const endings = { reassigned: "Reassigned", withdrawn: "Withdrawn", closed: "Closed" } as const;

const columns: Column<MatterReferral>[] = [
  {
    heading: "Attorney",
    cell: ({ attorneyId, attorneyName }) => (
      <Link to={`/admin/attorneys/${attorneyId}`}>{attorneyName}</Link>
    ),
  },
  { heading: "Referred", cell: ({ referredAt }) => <DayText on={referredAt} /> },
  {
    heading: "Ended",
    cell: ({ endedAt, ended }) =>
      endedAt === null || ended === null ? (
        <Muted>Current attorney</Muted>
      ) : (
        <>
          {endings[ended]} <DayText on={endedAt} />
        </>
      ),
  },
  {
    heading: "Reason",
    cell: ({ reason }) =>
      reason ? <span className={css["note"]}>{reason}</span> : <Muted>Not provided</Muted>,
  },
];

/** The attorneys who have or had a referral, with Reassign and Withdraw. Empty before the first. */
export function ReferralHistory({ matter }: { matter: Matter }) {
  const [open, setOpen] = useState<"reassign" | "withdraw" | null>(null);
  const [done, setDone] = useState<string | null>(null);
  const referrals = useQuery(endpointQuery(listReferrals, { params: { id: matter.id } }));
  const show = (dialog: "reassign" | "withdraw") => {
    setDone(null);
    setOpen(dialog);
  };
  const dialog = {
    matter,
    onClose: () => setOpen(null),
    onDone: (result: string) => {
      setOpen(null);
      setDone(result);
    },
  };
  if (matter.attorneyId === null && referrals.data?.length === 0) return <Notice>{done}</Notice>;
  return (
    <Section
      title="Referred to"
      actions={
        matter.status === "open" && (
          <Row>
            <Button small pending={false} onClick={() => show("reassign")}>
              Reassign
            </Button>
            <Button small pending={false} onClick={() => show("withdraw")}>
              Withdraw
            </Button>
          </Row>
        )
      }
    >
      <Notice>{done}</Notice>
      <DataTable
        caption="Referred to"
        captionHidden
        columns={columns}
        rows={referrals.data}
        keyOf={({ id }) => id}
        empty={<EmptyState title="Not referred yet" />}
        pending={referrals.isFetching}
        error={referrals.error}
        onRetry={() => void referrals.refetch()}
      />
      {open === "reassign" && <ReassignDialog {...dialog} />}
      {open === "withdraw" && <WithdrawDialog {...dialog} />}
    </Section>
  );
}
