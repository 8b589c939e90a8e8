import { ageInSeconds, type MetricQuery } from "#kit/ops/metric-query.ts";

export const cardMetrics: MetricQuery[] = [
  {
    metrics: {
      card_payments_in_flight: "Card payments whose outcome is not known yet",
      card_payments_oldest_unknown_seconds:
        "Age of the oldest card payment whose outcome is not known yet",
      card_payments_held: "Card payments held at their processor until the network decides",
    },
    sql: `
      select count(*) filter (where held_at is null) as card_payments_in_flight,
        ${ageInSeconds("min(created_at) filter (where held_at is null)")} as card_payments_oldest_unknown_seconds,
        count(*) filter (where held_at is not null) as card_payments_held
      from card_payments where state = 'processing'`,
  },
  {
    metrics: {
      card_refunds_in_flight: "Refunds requested and not carried out yet",
      card_refunds_oldest_seconds: "Age of the oldest refund not carried out yet",
    },
    sql: `
      select count(*) as card_refunds_in_flight, ${ageInSeconds("min(created_at)")} as card_refunds_oldest_seconds
      from card_refunds where state = 'requested'`,
  },
  {
    metrics: {
      card_sessions_overdue_seconds:
        "How late the search for charges that a browser did not report is",
    },
    sql: `
      select ${ageInSeconds("min(next_look_at)")} as card_sessions_overdue_seconds
      from card_sessions s
      -- A payment being confirmed is looked up by its own job.
      where state = 'open' and not exists (
        select from card_payments c where c.network_id = s.network_id and c.session_id = s.id
          and c.state = 'processing')`,
  },
];
