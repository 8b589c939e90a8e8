import type { ReactNode } from "react";
import type { CardField } from "#kit/domain/card.ts";
import { formatMoney } from "#kit/domain/money.ts";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { Muted } from "#kit/web/ui/layout.tsx";
import { Brandmarks } from "./Brandmarks.tsx";
import type { useCardFrame } from "./use-card-frame.tsx";
import css from "./CardForm.module.css";
import type { ProcessorFormProps } from "#cards/processors/processor-form.tsx";

interface CardFrameProps extends Pick<ProcessorFormProps, "acceptance" | "payment"> {
  frame: ReturnType<typeof useCardFrame>;
  fields: Record<CardField, ReactNode>;
}

/** The card form: brands, three fields, the button, and one error line. */
export function CardFrame({ acceptance, payment, frame, fields }: CardFrameProps) {
  return (
    <form className={css["card"]} aria-label="Card" noValidate onSubmit={frame.handleSubmit}>
      <Brandmarks brands={acceptance.brandmarks} />
      {!acceptance.livePayments && <Muted small>Test mode: no money moves.</Muted>}
      {fields.cardNumber}
      <div className={css["pair"]}>
        {fields.cardCode}
        {fields.expDate}
      </div>
      <SubmitButton pending={frame.pending} disabled={!frame.canPay && !frame.pending}>
        {`Pay ${formatMoney(payment.total)}`}
      </SubmitButton>
      <p id={frame.lineId} role="alert" className={css["line"]}>
        {frame.line}
      </p>
    </form>
  );
}
