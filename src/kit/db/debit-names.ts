import { sql } from "kysely";

/**
 * The name of a debit (alias `d`): its plan (`p`) by its enrolment (`e`), or its charge (`charge`). Of these outer
 * joins, one finds its row.
 */
export const debitNames = sql`
  left join enrolments e on e.network_id = d.network_id and e.id = d.enrolment_id
  left join plans p on p.network_id = e.network_id and p.id = e.plan_id
  left join charges charge on charge.network_id = d.network_id and charge.id = d.charge_id`;

export const debitName = sql`coalesce(p.name, charge.name)`;

/** The note of the enrolment or of the charge. */
export const debitNote = sql`coalesce(e.note, charge.note)`;

export const debitDescription = sql`coalesce(p.description, '')`;

/** "Panel dues, due 11/01/2026". */
export const debitTitle = sql`${debitName} || ', due ' || to_char(d.due_on, 'MM/DD/YYYY')`;
