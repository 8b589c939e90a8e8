import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import { endpointQuery } from "#kit/web/queries.tsx";
import { RecordScreen } from "#kit/web/RecordScreen.tsx";
import { DayText, TimeText } from "#kit/web/ui/DayText.tsx";
import { Detail, Details } from "#kit/web/ui/Details.tsx";
import { Section } from "#kit/web/ui/layout.tsx";
import { Money } from "#kit/web/ui/Money.tsx";
import { PageHeading } from "#kit/web/ui/PageHeading.tsx";
import { Notice } from "#kit/web/ui/states.tsx";
import { payerAddress } from "./check-words.tsx";
import { CheckActions } from "./CheckActions.tsx";
import { CheckParts } from "./CheckParts.tsx";
import { CheckStatus } from "./CheckStatus.tsx";
import { type Check, showCheck } from "./contract.ts";

export function CheckPage({ history }: { history: (id: number) => ReactNode }) {
  return (
    <RecordScreen name="check" query={(id) => endpointQuery(showCheck, { params: { id } })}>
      {(check) => <CheckRecord check={check} history={history} />}
    </RecordScreen>
  );
}

/** One received check: its status, what it pays, its actions and its history. */
function CheckRecord({ check, history }: { check: Check; history: (id: number) => ReactNode }) {
  const [done, setDone] = useState<string | null>(null);
  return (
    <>
      <PageHeading
        title={`Check ${check.checkNumber}`}
        about={<CheckStatus status={check.status} />}
        actions={<CheckActions check={check} onDone={setDone} />}
      />
      <Notice>{done}</Notice>
      <Facts check={check} />
      <Section title="What it is for">
        <CheckParts check={check} />
      </Section>
      <Section title="History" onScreenOnly>
        {history(check.id)}
      </Section>
    </>
  );
}

function Facts({ check }: { check: Check }) {
  const { payer, decidedAt, depositId, depositNumber, status, returnedOn, returnNote, note } =
    check;
  return (
    <Details>
      <Detail name="Payer">
        <Link to={payerAddress(payer)}>{payer.name}</Link>
      </Detail>
      <Detail name="Amount">
        <Money amount={check.amount} />
      </Detail>
      <Detail name="Received">
        <DayText on={check.receivedOn} />
      </Detail>
      <Detail name="Recorded">
        <TimeText at={check.createdAt} />
      </Detail>
      {decidedAt !== null && (
        <Detail name={status === "denied" ? "Denied" : status === "mixed" ? "Decided" : "Approved"}>
          <TimeText at={decidedAt} />
        </Detail>
      )}
      {returnedOn !== null && (
        <Detail name="Returned by the bank">
          <DayText on={returnedOn} />
          {returnNote && `: ${returnNote}`}
        </Detail>
      )}
      {status !== "pending" && status !== "denied" && (
        <Detail name="Deposit">
          {depositId === null ? (
            status === "returned" ? (
              "Never deposited"
            ) : (
              "Not deposited"
            )
          ) : (
            <Link to={`/admin/deposits/${depositId}`}>{`Deposit ${depositNumber}`}</Link>
          )}
        </Detail>
      )}
      {note && <Detail name="Note">{note}</Detail>}
    </Details>
  );
}
