import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { endpointQuery } from "#kit/web/queries.tsx";
import { SelectField } from "#kit/web/ui/ChoiceField.tsx";
import { Row, Stack } from "#kit/web/ui/layout.tsx";
import { TimeText } from "#kit/web/ui/DayText.tsx";
import { EmptyState, Notice, Warning, WhenLoaded } from "#kit/web/ui/states.tsx";
import { StatusMark } from "#kit/web/ui/StatusMark.tsx";
import { showCardSettings } from "#cards/contract.ts";
import type { CardSettings, ProcessorName } from "#cards/shapes.ts";
import { CardAccountForm } from "./CardAccountForm.tsx";

export function CardPaymentsSection() {
  const settings = useQuery(endpointQuery(showCardSettings));
  return (
    <Stack gap={32}>
      <WhenLoaded query={settings} title="The card settings could not be loaded">
        {(loaded) => <CardAccount settings={loaded} />}
      </WhenLoaded>
      <p>
        <Link to="/admin/card-payments">Card payments that need attention</Link>
      </p>
    </Stack>
  );
}

function CardAccount({ settings }: { settings: CardSettings }) {
  const [chosen, setChosen] = useState<ProcessorName | "">(settings.paymentProcessor ?? "");
  const [done, setDone] = useState<string | null>(null);
  const [saves, setSaves] = useState(0); // resets the form after saving, so that it holds no secrets
  const processor = settings.processors.find(({ name }) => name === chosen);
  const none = { value: "" as const, label: "Choose a card processor" };
  return (
    <Stack gap={16}>
      <InUse settings={settings} />
      <AccountFault fault={settings.accountFault} />
      <Notice>{done}</Notice>
      <SelectField
        label="Card processor"
        error={undefined}
        options={[
          ...(settings.paymentProcessor === null ? [none] : []),
          ...settings.processors.map(({ name, label }) => ({ value: name, label })),
        ]}
        value={chosen}
        onChange={(name) => {
          setDone(null);
          setChosen(name);
        }}
      />
      {processor && (
        <CardAccountForm
          key={`${processor.name} ${saves}`}
          settings={settings}
          processor={processor}
          onDone={(result) => {
            setDone(result);
            setSaves(saves + 1);
          }}
        />
      )}
    </Stack>
  );
}

/** The last refused payment, if the network's account is the reason. */
function AccountFault({ fault }: { fault: CardSettings["accountFault"] }) {
  if (!fault) return null;
  return (
    <Warning title="The card processor refused the last payment" tone="bad">
      <p>
        <TimeText at={fault.at} />: {fault.message}
      </p>
      <p>
        The card is not the problem: attorneys are told that cards cannot be taken right now. This
        message stays until a payment goes through or you save the account again.
      </p>
    </Warning>
  );
}

function InUse({ settings }: { settings: CardSettings }) {
  const { paymentProcessor, livePayments, sandbox, processors } = settings;
  const used = processors.find(({ name }) => name === paymentProcessor);
  if (!used) {
    return (
      <EmptyState title="No cards are accepted yet">
        Attorneys pay by check until you choose a card processor here.
      </EmptyState>
    );
  }
  return (
    <Row gap={12}>
      <StatusMark tone={livePayments ? "good" : "waiting"}>
        {livePayments ? "Live" : sandbox ? "Sandbox" : "Test mode"}
      </StatusMark>
      <span>
        Cards are charged through {used.label}
        {livePayments ? "." : "; no money moves."}
      </span>
    </Row>
  );
}
