import { type Day, daysAfter } from "#kit/domain/day.ts";
import { dayOfMonth, lastDayOfMonth } from "#kit/domain/month-days.ts";
import { periodOf } from "#kit/domain/periods.ts";
import type { PlainDate } from "#kit/domain/calendar.ts";
import type { Admin } from "#kit/domain/actor.ts";
import { audit } from "#kit/db/audit.ts";
import { changedFields } from "#kit/db/changed-fields.ts";
import type { Db } from "#kit/db/database.ts";
import type { StatementSettings } from "#dues/ledger/statements/contract.ts";

/** When a network emails its statements, and the last day already covered. */
export interface StatementMailing {
  /** The day of the month; null: statements are not emailed. */
  statementDay: number | null;
  statementsBegunOn: Day | null;
  statementsMailedThrough: Day | null;
}

const columns = ["statementDay", "statementsBegunOn", "statementsMailedThrough"] as const;

export async function readStatementSettings(
  tx: Db,
  admin: Admin,
  today: PlainDate,
): Promise<StatementSettings> {
  const mailing = await tx
    .selectFrom("networks")
    .select(columns)
    .where("id", "=", admin.networkId)
    .executeTakeFirstOrThrow();
  return settingsOf(mailing, today.toString());
}

/** Choose the day, or null for none. Emailing starts on the first such day from today on. */
export async function writeStatementSettings(
  tx: Db,
  admin: Admin,
  mailedOnDay: number | null,
  today: PlainDate,
): Promise<StatementSettings> {
  const before = await tx
    .selectFrom("networks")
    .select(columns)
    .where("id", "=", admin.networkId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  const since = mailedOnDay === null ? null : (before.statementsBegunOn ?? today.toString());
  const after = { ...before, statementDay: mailedOnDay, statementsBegunOn: since };
  await tx.updateTable("networks").set(after).where("id", "=", admin.networkId).execute();
  await audit(tx, admin, {
    action: "changed statement settings",
    recordType: "network",
    recordId: admin.networkId,
    ...changedFields(auditedOf(before), auditedOf(after)),
  });
  return settingsOf(after, today.toString());
}

const auditedOf = ({ statementDay }: StatementMailing) => ({ statementsMailedOnDay: statementDay });

function settingsOf(mailing: StatementMailing, today: Day): StatementSettings {
  const { statementDay } = mailing;
  if (statementDay === null) return { mailedOnDay: null, nextOn: null };
  if (monthToMail(mailing, today)) return { mailedOnDay: statementDay, nextOn: today };
  const thisMonth = dayOfMonth(statementDay, today);
  const isMailed = periodOf("last_month", today).to <= (mailing.statementsMailedThrough ?? "");
  const nextMonth = daysAfter(periodOf("this_month", today).to, 1);
  return {
    mailedOnDay: statementDay,
    nextOn: thisMonth > today && !isMailed ? thisMonth : dayOfMonth(statementDay, nextMonth),
  };
}

/**
 * The month whose statements are due now: the one before the last statement day, which may be some days ago if no
 * worker ran. Null if they were emailed, or if that day was before emailing was switched on.
 */
export function monthToMail(mailing: StatementMailing, today: Day): { from: Day; to: Day } | null {
  const { statementDay, statementsBegunOn, statementsMailedThrough } = mailing;
  if (statementDay === null || statementsBegunOn === null) return null;
  const due = lastDayOfMonth(statementDay, today);
  const month = periodOf("last_month", due);
  if (due < statementsBegunOn || month.to <= (statementsMailedThrough ?? "")) return null;
  return month;
}
