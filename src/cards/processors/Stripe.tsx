import {
  CardCvcElement,
  CardExpiryElement,
  CardNumberElement,
  Elements,
  useElements,
  useStripe,
} from "@stripe/react-stripe-js";
import type {
  Stripe as StripeApi,
  StripeElementChangeEvent,
  StripeElements,
} from "@stripe/stripe-js";
import { loadStripe } from "@stripe/stripe-js/pure";
import { useId, useMemo, useState } from "react";
import { type CardField, cardFields } from "#kit/domain/card.ts";
import { call } from "#kit/web/api.tsx";
import { hideDialogsDuring, closeParentDialog } from "#kit/web/ui/Dialog.tsx";
import {
  type CardFieldStates,
  emptyField,
  type FieldState,
  useCardFrame,
} from "#cards/charge/use-card-frame.tsx";
import { CardFrame } from "#cards/charge/CardFrame.tsx";
import { showChallenge } from "#cards/contract.ts";
import { HostedField, useHostedFieldStyle } from "#cards/charge/HostedField.tsx";
import type { CardRead, Paid, ProcessorFormProps } from "./processor-form.tsx";
import { pageGlobal, WithScript } from "./script.tsx";

/**
 * Stripe: its own fields, in frames, turn the card into a payment method. Its loader uses a script already
 * on the page, so we choose the script's address.
 */
export function Stripe(props: ProcessorFormProps) {
  const { scriptUrl, publicKeys } = props.acceptance;
  return (
    <WithScript src={scriptUrl} isReady={() => pageGlobal("Stripe") !== undefined}>
      {() => <StripeFields {...props} publishableKey={publicKeys["publishableKey"] ?? ""} />}
    </WithScript>
  );
}

function StripeFields({
  publishableKey,
  ...props
}: ProcessorFormProps & { publishableKey: string }) {
  const [stripe] = useState(() => loadStripe(publishableKey));
  return (
    <Elements stripe={stripe}>
      <StripeForm {...props} />
    </Elements>
  );
}

const controls = {
  cardNumber: CardNumberElement,
  cardCode: CardCvcElement,
  expDate: CardExpiryElement,
};

const placeholders: Record<CardField, string> = { cardNumber: "", cardCode: "", expDate: "MM/YY" };

const allEmpty: CardFieldStates = {
  cardNumber: emptyField,
  cardCode: emptyField,
  expDate: emptyField,
};

function StripeForm(props: ProcessorFormProps) {
  const stripe = useStripe();
  const elements = useElements();
  const [fieldStates, setFieldStates] = useState(allEmpty);
  const formId = useId();
  const style = useStyle();
  const element = (field: CardField) =>
    ({
      cardNumber: elements?.getElement(CardNumberElement),
      cardCode: elements?.getElement(CardCvcElement),
      expDate: elements?.getElement(CardExpiryElement),
    })[field];
  const frame = useCardFrame({
    ...props,
    fieldStates,
    read: async () => await read(stripe, elements),
    pay: async (token) =>
      await payWithConsent(stripe, { token, name: props.payment.name }, props.pay),
    startOver: () => {
      for (const field of cardFields) element(field)?.clear();
      element("cardNumber")?.focus();
    },
  });
  const fieldAt = (field: CardField) => {
    const Control = controls[field];
    const place = frame.place(field);
    return (
      <HostedField
        field={field}
        place={place}
        frameId={`${formId}-${field}`}
        onPress={() => element(field)?.focus()}
      >
        <Control
          id={`${formId}-${field}`}
          options={{ style, placeholder: placeholders[field] }}
          onChange={(event: StripeElementChangeEvent & { brand?: string }) => {
            setFieldStates((before) => ({ ...before, [field]: fieldStateOf(event) }));
            if (!event.empty) place.onTyping();
          }}
          onFocus={place.onFocus}
          onBlur={place.onLeave}
          onEscape={() => closeParentDialog(document.getElementById(`${formId}-${field}`))}
        />
      </HostedField>
    );
  };
  return (
    <CardFrame
      {...props}
      frame={frame}
      fields={{
        cardNumber: fieldAt("cardNumber"),
        cardCode: fieldAt("cardCode"),
        expDate: fieldAt("expDate"),
      }}
    />
  );
}

function useStyle() {
  const { color, placeholderColor, fontSize, fontFamily } = useHostedFieldStyle();
  return useMemo(
    () => ({
      base: {
        color,
        fontSize,
        fontFamily,
        lineHeight: "1.5rem",
        letterSpacing: "0.02em",
        "::placeholder": { color: placeholderColor },
      },
      invalid: { color },
    }),
    [color, placeholderColor, fontSize, fontFamily],
  );
}

/** The brands of the specification; Stripe knows more. */
const brands = ["visa", "mastercard", "amex", "diners", "discover", "jcb"];

function fieldStateOf(event: StripeElementChangeEvent & { brand?: string }): FieldState {
  const { empty, complete, error, brand } = event;
  const isOther = complete && brand !== undefined && !brands.includes(brand);
  return { isEmpty: empty, isValid: complete && !isOther, canBecomeValid: !error && !isOther };
}

async function read(stripe: StripeApi | null, elements: StripeElements | null): Promise<CardRead> {
  const card = elements?.getElement(CardNumberElement);
  if (!stripe || !card) throw new Error("The card fields are not ready yet.");
  const { paymentMethod, error } = await stripe.createPaymentMethod({ type: "card", card });
  return paymentMethod
    ? { token: paymentMethod.id }
    : { apiErrors: [error.message ?? "The card could not be read. Please try again."] };
}

/**
 * Pay, and let the payer's bank ask for confirmation if it wants to. Afterwards our server looks up the
 * outcome and decides.
 */
async function payWithConsent(
  stripe: StripeApi | null,
  { token, name }: { token: string; name: string },
  pay: (token: string) => Promise<Paid>,
): Promise<Paid> {
  const paid = await pay(token);
  if (paid.message === null || !stripe) return paid;
  const { challenge } = await call(showChallenge, { body: { token, idempotency_key: name } });
  if (challenge === null) return paid;
  await hideDialogsDuring(() => stripe.handleNextAction({ clientSecret: challenge }));
  return await pay(token);
}
