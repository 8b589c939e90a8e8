import type { ComponentType } from "react";
import { useSearchParams } from "react-router";
import { SelectField } from "#kit/web/ui/ChoiceField.tsx";
import { Filters, Section } from "#kit/web/ui/layout.tsx";
import { ButtonLink } from "#kit/web/ui/Button.tsx";
import { PageHeading } from "#kit/web/ui/PageHeading.tsx";
import { Chargebacks } from "#cards/lists/Chargebacks.tsx";
import { CardPaymentsToConfirm } from "#cards/lists/CardPaymentsToConfirm.tsx";
import { FailedRefunds } from "#cards/lists/FailedRefunds.tsx";
import { FailedSales } from "#cards/lists/FailedSales.tsx";
import { HeldCharges } from "#cards/lists/HeldCharges.tsx";
import { RefundedAtProcessor } from "#cards/lists/RefundedAtProcessor.tsx";

interface CardList {
  /** The value of `show` in the address. */
  show: string;
  title: string;
  /** Its name in the filter. */
  label: string;
  Content: ComponentType<{ isAlone: boolean }>;
}

const lists: CardList[] = [
  {
    show: "confirming",
    title: "Being confirmed",
    label: "Being confirmed",
    Content: CardPaymentsToConfirm,
  },
  {
    show: "held",
    title: "Held for review at the processor",
    label: "Held for review",
    Content: HeldCharges,
  },
  {
    show: "chargebacks",
    title: "Chargebacks to look at",
    label: "Chargebacks",
    Content: Chargebacks,
  },
  {
    show: "refunds",
    title: "Refunds that failed",
    label: "Refunds that failed",
    Content: FailedRefunds,
  },
  {
    show: "settlements",
    title: "Payments that failed at settlement",
    label: "Failed at settlement, still owed",
    Content: FailedSales,
  },
  {
    show: "elsewhere",
    title: "Payments refunded at the processor",
    label: "Refunded at the processor",
    Content: RefundedAtProcessor,
  },
];

/** Card payments that need attention: every list, or the one named in the address. */
export function CardPaymentsScreen() {
  const [address, setAddress] = useSearchParams();
  const chosen = lists.find(({ show }) => show === address.get("show"));
  const shown = chosen ? [chosen] : lists;
  return (
    <>
      <PageHeading
        title="Card payments"
        about="Card payments that need attention"
        actions={<ButtonLink to="/admin/settings">Card settings</ButtonLink>}
      />
      <Filters>
        <SelectField
          label="Show"
          error={undefined}
          options={[
            { value: "", label: "All lists" },
            ...lists.map(({ show, label }) => ({ value: show, label })),
          ]}
          value={chosen?.show ?? ""}
          onChange={(show) => setAddress(show ? { show } : {})}
        />
      </Filters>
      {shown.map(({ show, title, Content }) => (
        <Section key={show} title={title}>
          <Content isAlone={chosen !== undefined} />
        </Section>
      ))}
    </>
  );
}
