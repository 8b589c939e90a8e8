import { sql } from "kysely";
import type { Cents } from "#kit/domain/money.ts";
import { dollarsText } from "#kit/domain/money.ts";
import type { Admin } from "#kit/domain/actor.ts";
import { audit } from "#kit/db/audit.ts";
import { changedFields } from "#kit/db/changed-fields.ts";
import type { Db } from "#kit/db/database.ts";
import { invalid } from "#kit/contract/refusal.ts";
import { accountNamesOf } from "#kit/domain/account-names.ts";
import type { MoneySettings, MoneySettingsChange } from "#dues/ledger/contract.ts";

/** The network's settings for credit, fees and account names. */
export async function readMoneySettings(tx: Db, admin: Admin): Promise<MoneySettings> {
  return settingsOf(await readColumns(tx, admin));
}

/** Change the given settings. Throws 422 if none is given. Source: domain rules §10. */
export async function writeMoneySettings(
  tx: Db,
  admin: Admin,
  wanted: MoneySettingsChange,
): Promise<MoneySettings> {
  const named = Object.fromEntries(
    Object.entries(wanted.account_names ?? {}).filter(([, name]) => name !== undefined),
  );
  if (
    wanted.applies_credit_automatically === undefined &&
    wanted.returned_check_fee === undefined &&
    wanted.chargeback_fee === undefined &&
    Object.keys(named).length === 0
  )
    throw invalid("", "The request must change something.");
  // Locked, so the second of two concurrent changes is audited from the first one's values.
  await sql`select 1 from networks where id = ${admin.networkId} for no key update`.execute(tx);
  const before = await readColumns(tx, admin);
  await sql`
    update networks set
      applies_credit_automatically = coalesce(${wanted.applies_credit_automatically ?? null}::boolean,
        applies_credit_automatically),
      returned_check_fee_cents = coalesce(${wanted.returned_check_fee ?? null}::bigint,
        returned_check_fee_cents),
      chargeback_fee_cents = coalesce(${wanted.chargeback_fee ?? null}::bigint, chargeback_fee_cents),
      account_names = account_names || ${JSON.stringify(named)}::jsonb
    where id = ${admin.networkId}`.execute(tx);
  const after = await readColumns(tx, admin);
  await audit(tx, admin, {
    action: "changed money settings",
    recordType: "network",
    recordId: admin.networkId,
    ...changedFields(auditedOf(before), auditedOf(after)),
  });
  return settingsOf(after);
}

interface Columns {
  appliesCreditAutomatically: boolean;
  returnedCheckFeeCents: Cents;
  chargebackFeeCents: Cents;
  accountNames: unknown;
}

async function readColumns(tx: Db, admin: Admin): Promise<Columns> {
  return await tx
    .selectFrom("networks")
    .select([
      "appliesCreditAutomatically",
      "returnedCheckFeeCents",
      "chargebackFeeCents",
      "accountNames",
    ])
    .where("id", "=", admin.networkId)
    .executeTakeFirstOrThrow();
}

function settingsOf(columns: Columns): MoneySettings {
  const names = accountNamesOf(columns.accountNames);
  return {
    appliesCreditAutomatically: columns.appliesCreditAutomatically,
    returnedCheckFee: columns.returnedCheckFeeCents,
    chargebackFee: columns.chargebackFeeCents,
    accountNames: {
      accountsReceivable: names.accounts_receivable,
      duesIncome: names.dues_income,
      otherIncome: names.other_income,
      undepositedChecks: names.undeposited_checks,
      bank: names.bank,
      cardClearing: names.card_clearing,
      attorneysCredit: names.attorneys_credit,
      held: names.held,
      adjustments: names.adjustments,
    },
  };
}

/** The settings for the audit trail, with each account name as its own field. */
function auditedOf(columns: Columns) {
  const { returnedCheckFee, chargebackFee, accountNames, ...rest } = settingsOf(columns);
  return {
    ...rest,
    returnedCheckFee: dollarsText(returnedCheckFee),
    chargebackFee: dollarsText(chargebackFee),
    ...accountNames,
  };
}
