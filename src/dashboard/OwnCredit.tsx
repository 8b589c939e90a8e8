import { formatMoney } from "#kit/domain/money.ts";
import type { Attorney } from "#people/contract.ts";
import { CreditEntries } from "#dues/ledger/CreditEntries.tsx";
import { Section } from "#kit/web/ui/layout.tsx";

/** What the attorney has in credit and how it came about; nothing for one who never had any. */
export function OwnCredit({ attorney: { id, credit, hasHadCredit } }: { attorney: Attorney }) {
  if (!hasHadCredit) return null;
  return (
    <Section title="Your credit">
      <p>
        {credit > 0
          ? `You have ${formatMoney(credit)} of credit: money that your referral service has received and not used for your dues yet.`
          : "Your credit is used up."}
      </p>
      <CreditEntries attorneyId={id} />
    </Section>
  );
}
