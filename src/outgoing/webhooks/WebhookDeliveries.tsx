import { useMutation } from "@tanstack/react-query";
import { useSearchParams } from "react-router";
import { PagedTable } from "#kit/list/PagedTable.tsx";
import { call } from "#kit/web/api.tsx";
import { endpointQuery, useList } from "#kit/web/queries.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { SelectField } from "#kit/web/ui/ChoiceField.tsx";
import type { Column } from "#kit/web/ui/DataTable.tsx";
import { TimeText } from "#kit/web/ui/DayText.tsx";
import { Filters, Muted, Stack } from "#kit/web/ui/layout.tsx";
import { usePage } from "#kit/web/ui/Paging.tsx";
import { EmptyState } from "#kit/web/ui/states.tsx";
import { StatusMark } from "#kit/web/ui/StatusMark.tsx";
import {
  deliveryStates,
  listWebhookDeliveries,
  sendWebhookAgain,
  type WebhookDelivery,
  type WebhookEndpoint,
} from "./contract.ts";
import { eventLabel, shortUrl } from "./event-labels.tsx";
import css from "./webhooks.module.css";

const stateLabels: Record<WebhookDelivery["state"], string> = {
  waiting: "Waiting",
  delivered: "Delivered",
  failed: "Given up",
};

/** Deliveries of the last 30 days, filtered by the page's address. */
export function WebhookDeliveries({ webhooks }: { webhooks: WebhookEndpoint[] }) {
  const [address, setAddress] = useSearchParams();
  const state = deliveryStates.find((one) => one === address.get("state")) ?? "";
  const webhook = webhooks.find(({ id }) => String(id) === address.get("webhook"));
  const query = { ...usePage(), endpoint_id: webhook?.id, state: state || undefined };
  const list = useList(endpointQuery(listWebhookDeliveries, { query }));
  const choose = (changes: Record<string, string>) =>
    setAddress((before) => {
      const next = new URLSearchParams(before);
      next.delete("page");
      for (const [name, value] of Object.entries(changes))
        if (value === "") next.delete(name);
        else next.set(name, value);
      return next;
    });
  const activeIds = new Set(webhooks.filter(({ active }) => active).map(({ id }) => id));
  const columns: Column<WebhookDelivery>[] = [
    { heading: "Event", cell: ({ type }) => eventLabel(type) },
    { heading: "To", cell: ({ url }) => <span className={css["address"]}>{shortUrl(url)}</span> },
    { heading: "When", cell: ({ createdAt }) => <TimeText at={createdAt} /> },
    { heading: "Status", cell: (one) => <DeliveryStatus of={one} /> },
    {
      heading: "Next attempt",
      cell: ({ nextAttemptAt, attempts, endpointId }) =>
        nextAttemptAt !== null && activeIds.has(endpointId) ? (
          attempts === 0 && Date.parse(nextAttemptAt) <= Date.now() ? (
            "Now"
          ) : (
            <TimeText at={nextAttemptAt} />
          )
        ) : (
          <Muted>None</Muted>
        ),
    },
    {
      heading: "Actions",
      actions: true,
      cell: (one) => activeIds.has(one.endpointId) && <AgainButton of={one} />,
    },
  ];
  return (
    <>
      <h3>Deliveries</h3>
      <Filters>
        <SelectField
          label="Status"
          error={undefined}
          options={[
            { value: "" as const, label: "All" },
            ...deliveryStates.map((value) => ({ value, label: stateLabels[value] })),
          ]}
          value={state}
          onChange={(value) => choose({ state: value })}
        />
        {webhooks.length > 1 && (
          <SelectField
            label="Webhook"
            error={undefined}
            options={[
              { value: "", label: "All" },
              ...webhooks.map(({ id, url }) => ({ value: String(id), label: shortUrl(url) })),
            ]}
            value={webhook ? String(webhook.id) : ""}
            onChange={(value) => choose({ webhook: value })}
          />
        )}
      </Filters>
      <PagedTable
        list={list}
        caption="Deliveries"
        columns={columns}
        keyOf={(one) => one.id}
        filtered={
          state !== "" || webhook
            ? { things: "deliveries", path: "/admin/settings/integrations" }
            : undefined
        }
        empty={
          <EmptyState title="No deliveries yet">
            Events sent from now on appear here for 30 days.
          </EmptyState>
        }
      />
    </>
  );
}

/** The status of a delivery and, unless delivered, the receiver's answer. */
function DeliveryStatus({ of: delivery }: { of: WebhookDelivery }) {
  const { state, attempts, lastStatus, lastProblem } = delivery;
  const tone = { waiting: "waiting", delivered: "good", failed: "bad" } as const;
  const answered = lastStatus === null ? [] : [`The receiver answered ${lastStatus}.`];
  const tried = attempts > 1 ? [`Tried ${attempts} times.`] : [];
  const said = lastProblem === null ? [] : [lastProblem];
  const details = [...tried, ...(state === "delivered" ? [] : [...answered, ...said])].join(" ");
  return (
    <Stack gap={4}>
      <div>
        <StatusMark tone={tone[state]}>{stateLabels[state]}</StatusMark>
      </div>
      {details !== "" && (
        <span className={css["address"]}>
          <Muted small>{details}</Muted>
        </span>
      )}
    </Stack>
  );
}

function AgainButton({ of: { id, type, createdAt } }: { of: WebhookDelivery }) {
  const sending = useMutation({
    mutationFn: () => call(sendWebhookAgain, { params: { id } }),
  });
  return (
    <Button
      small
      pending={sending.isPending}
      label={`Send again: ${eventLabel(type)}, ${createdAt}`}
      onClick={() => sending.mutate()}
    >
      Send again
    </Button>
  );
}
