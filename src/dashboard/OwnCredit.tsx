import { formatMoney } from "#kit/domain/money.ts";
import type { Attorney } from "#people/contract.ts";
import { CreditEntries } from "#dues/ledger/CreditEntries.tsx";
import { Section } from "#kit/web/ui/layout.tsx";

/** The attorney's credit and its history. Hidden if they never had credit. */
export function OwnCredit({ attorney: { id, credit, hasHadCredit } }: { attorney: Attorney }) {
  if (!hasHadCredit) return null;
  return (
    <Section title="Your credit">
      <p>
        {credit > 0
          ? `You have ${formatMoney(credit)} of credit. Your referral service received this money and has not used it for your dues yet.`
          : "You have used all your credit."}
      </p>
      <CreditEntries attorneyId={id} />
    </Section>
  );
}
