import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "#kit/web/api.tsx";
import { endpointQuery } from "#kit/web/queries.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { type Column, DataTable } from "#kit/web/ui/DataTable.tsx";
import { TimeText } from "#kit/web/ui/DayText.tsx";
import { Muted, Row, Section, Stack } from "#kit/web/ui/layout.tsx";
import { EmptyState, Notice } from "#kit/web/ui/states.tsx";
import { StatusMark } from "#kit/web/ui/StatusMark.tsx";
import { AddWebhookDialog } from "./AddWebhookDialog.tsx";
import {
  eventTypes,
  listWebhookEndpoints,
  testWebhookEndpoint,
  type WebhookEndpoint,
} from "./contract.ts";
import { eventLabel, shortUrl } from "./event-words.tsx";
import { WebhookDeliveries } from "./WebhookDeliveries.tsx";
import { WebhookDialog } from "./WebhookDialog.tsx";
import css from "./webhooks.module.css";

/** Programs that hear at once what happens here, and what became of each message to them. */
export function WebhooksSection() {
  const webhooks = useQuery(endpointQuery(listWebhookEndpoints));
  const [isAdding, setAdding] = useState(false);
  const [changing, setChanging] = useState<WebhookEndpoint | null>(null);
  const [done, setDone] = useState<string | null>(null);
  const hasWebhooks = (webhooks.data?.length ?? 0) > 0;
  const columns: Column<WebhookEndpoint>[] = [
    {
      heading: "Address",
      cell: ({ url }) => <span className={css["address"]}>{shortUrl(url)}</span>,
    },
    { heading: "Tells of", cell: (one) => <Events of={one} /> },
    { heading: "Status", cell: (one) => <WebhookStatus of={one} /> },
    {
      heading: "Last taken",
      cell: ({ lastSuccessAt }) =>
        lastSuccessAt === null ? <Muted>Never</Muted> : <TimeText at={lastSuccessAt} />,
    },
    {
      heading: "Actions",
      actions: true,
      cell: (one) => (
        <Row>
          {one.active && <TestButton webhook={one} onDone={setDone} />}
          <Button
            small
            pending={false}
            label={`Change ${shortUrl(one.url)}`}
            onClick={() => {
              setDone(null);
              setChanging(one);
            }}
          >
            Change
          </Button>
        </Row>
      ),
    },
  ];
  const add = (
    <Button
      pending={false}
      onClick={() => {
        setDone(null);
        setAdding(true);
      }}
    >
      Add a webhook
    </Button>
  );
  return (
    <Section title="Webhooks" actions={hasWebhooks && add}>
      <p>
        Your own programs are told within seconds of what happens here. Each event is posted to
        them, signed; it holds ids, amounts and days, and they ask for the rest through{" "}
        <a href="/api/docs">the HTTP interface</a>.
      </p>
      <Notice>{done}</Notice>
      <DataTable
        caption="Webhooks"
        captionHidden
        columns={columns}
        rows={webhooks.data}
        keyOf={(one) => one.id}
        empty={
          <EmptyState title="No webhooks yet" action={add}>
            Add the address at which a program of yours listens.
          </EmptyState>
        }
        pending={webhooks.isFetching}
        error={webhooks.error}
        onRetry={() => void webhooks.refetch()}
      />
      {webhooks.data && hasWebhooks && <WebhookDeliveries webhooks={webhooks.data} />}
      {isAdding && <AddWebhookDialog onClose={() => setAdding(false)} />}
      {changing && (
        <WebhookDialog
          webhook={webhooks.data?.find(({ id }) => id === changing.id) ?? changing}
          onClose={() => setChanging(null)}
          onDone={setDone}
        />
      )}
    </Section>
  );
}

function Events({ of: { eventTypes: chosen } }: { of: WebhookEndpoint }) {
  if (chosen.length === eventTypes.length) return "Everything";
  if (chosen.length > 2) return `${chosen.length} kinds of events`;
  return chosen.map(eventLabel).join("; ");
}

function WebhookStatus({ of: webhook }: { of: WebhookEndpoint }) {
  const { active, disabledReason, failingSince } = webhook;
  if (disabledReason !== null)
    return (
      <Stack gap={4}>
        <div>
          <StatusMark tone="bad">Switched off</StatusMark>
        </div>
        <Muted small>
          {disabledReason === "gone"
            ? "It said that it is gone for good (410)."
            : "It took nothing for three days."}
        </Muted>
      </Stack>
    );
  if (!active) return <StatusMark tone="quiet">Off</StatusMark>;
  if (failingSince === null) return <StatusMark tone="good">On</StatusMark>;
  return (
    <Stack gap={4}>
      <div>
        <StatusMark tone="waiting">Failing</StatusMark>
      </div>
      <Muted small>
        Since <TimeText at={failingSince} />
      </Muted>
    </Stack>
  );
}

interface TestButtonProps {
  webhook: WebhookEndpoint;
  onDone: (done: string) => void;
}

function TestButton({ webhook: { id, url }, onDone }: TestButtonProps) {
  const testing = useMutation({
    mutationFn: () => call(testWebhookEndpoint, { params: { id } }),
    onSuccess: () => onDone("A test is on its way: see below what becomes of it."),
  });
  return (
    <Button
      small
      pending={testing.isPending}
      label={`Send a test to ${shortUrl(url)}`}
      onClick={() => testing.mutate()}
    >
      Send a test
    </Button>
  );
}
