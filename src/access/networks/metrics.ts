import type { MetricQuery } from "#kit/ops/metric-query.ts";

export const networkMetrics: MetricQuery[] = [
  {
    metrics: { id_range_used: "The used share of ID_RANGE, from 0 to 1, in the fullest table" },
    sql: `
      select max((s.last_value - s.min_value)::float8 / (s.max_value - s.min_value)) as id_range_used
      from pg_sequences s join installation i on s.min_value = i.first_id and s.max_value = i.last_id
      where s.schemaname = 'public'`,
  },
];
