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
import { eventLabel, shortUrl } from "./event-labels.tsx";
import { WebhookDeliveries } from "./WebhookDeliveries.tsx";
import { WebhookDialog } from "./WebhookDialog.tsx";
import css from "./webhooks.module.css";

/** The network's webhooks and their deliveries. */
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
    { heading: "Events", cell: (one) => <Events of={one} /> },
    { heading: "Status", cell: (one) => <WebhookStatus of={one} /> },
    {
      heading: "Last delivered",
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
        Webhooks tell your own programs about events here within seconds. Each event is signed and
        holds ids, amounts and dates. Your programs get the rest through{" "}
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
            Add the address where your program receives events.
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
  if (chosen.length === eventTypes.length) return "All events";
  if (chosen.length > 2) return `${chosen.length} events`;
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
            ? "The receiver said that it is gone (410)."
            : "Every delivery failed for three days."}
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
    onSuccess: () => onDone("The test is on its way. See its status below."),
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
