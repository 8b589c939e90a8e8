import { useEffect, useEffectEvent, useId, useRef, useState } from "react";
import { cardMessages, emptyCard } from "#kit/domain/card.ts";
import type { Attorney } from "#people/contract.ts";
import { useToday } from "#kit/web/session.tsx";
import { fieldStateOf } from "#cards/charge/CardForm.tsx";
import { CardFrame } from "#cards/charge/CardFrame.tsx";
import { type FieldState, useCardFrame } from "#cards/charge/use-card-frame.tsx";
import { CardInput } from "#cards/charge/CardInput.tsx";
import {
  HostedField,
  type HostedFieldStyle,
  useHostedFieldStyle,
} from "#cards/charge/HostedField.tsx";
import { useLoadedRecord } from "#payments/own-record.tsx";
import { withTimeout } from "./timeout.tsx";
import type { CardRead, ProcessorFormProps } from "./processor-form.tsx";
import { pageGlobal, WithScript } from "./script.tsx";

/** What fieldGen adds to the page. */
interface AffiniPay {
  HostedFields: {
    initializeFields: (config: object, callback: (state: FieldsState) => void) => HostedForm;
    parseException: (exception: unknown) => { message: string; messages?: string[] };
  };
}

interface HostedForm {
  getPaymentToken: (form: object) => Promise<{ id: string; card_type?: string }>;
  clearIframeInput: (selector: string) => void;
  /** Unconfirmed: focusing exists; this name is a guess by analogy. */
  focusIframeInput?: (selector: string) => void;
}

interface FieldsState {
  /** Every field has been turned into a token of its own. */
  isReady: boolean;
  fields: { type: string; focus: boolean; error: string }[];
}

/** LawPay: its own fields for number and code, in frames; the expiration date is our own input. */
export function LawPay(props: ProcessorFormProps) {
  const style = useHostedFieldStyle();
  return (
    <WithScript
      src={props.acceptance.scriptUrl}
      integrity={props.acceptance.scriptIntegrity}
      isReady={() => Boolean(affiniPay())}
    >
      {/* The style is fixed when the fields are made. */}
      {() => <LawPayForm key={style.color} {...props} looks={style} />}
    </WithScript>
  );
}

const affiniPay = () => (pageGlobal("AffiniPay") as AffiniPay | undefined)?.HostedFields;

const hosted = { cardNumber: "credit_card_number", cardCode: "cvv" } as const;
type Hosted = keyof typeof hosted;
const hostedFields: readonly Hosted[] = ["cardNumber", "cardCode"];

const untouched: FieldsState = { isReady: false, fields: [] };

function LawPayForm({ looks: style, ...props }: ProcessorFormProps & { looks: HostedFieldStyle }) {
  const payer = useLoadedRecord();
  const today = useToday();
  const [expDate, setExpDate] = useState("");
  const [state, setState] = useState(untouched);
  const last = useRef(untouched);
  const form = useRef<HostedForm>(null);
  const formId = useId().replaceAll(/\W/g, ""); // used in selectors
  const selectorOf = (field: Hosted) => `#${formId}-${field}`;
  const focus = (field: Hosted) => form.current?.focusIframeInput?.(selectorOf(field));

  const frame = useCardFrame({
    ...props,
    fieldStates: {
      cardNumber: hostedFieldState(state, "cardNumber"),
      cardCode: hostedFieldState(state, "cardCode"),
      expDate: fieldStateOf("expDate", { ...emptyCard, expDate }, today),
    },
    isReady: state.isReady,
    read: async () =>
      await read(form.current, { ...expiry(expDate), ...(payer && billing(payer)) }),
    startOver: () => {
      setExpDate("");
      for (const field of hostedFields) form.current?.clearIframeInput(selectorOf(field));
      focus("cardNumber");
    },
  });

  const fieldsChanged = useEffectEvent((now: FieldsState) => {
    const before = last.current;
    last.current = now;
    setState(now);
    for (const field of hostedFields) {
      const [was, is] = [fieldIn(before, field), fieldIn(now, field)];
      const place = frame.place(field);
      if (is?.focus && !was?.focus) place.onFocus();
      if (was?.focus && !is?.focus) place.onLeave();
      if (is && is.error !== emptyMessage && is.error !== was?.error) place.onTyping();
    }
  });
  const makeFields = useEffectEvent(() => {
    const { publicKeys } = props.acceptance;
    const fields = hostedFields.map((field) => ({
      selector: selectorOf(field),
      input: { type: hosted[field], placeholder: "", css: cssOf(style) },
    }));
    const config = { publicKey: publicKeys["publicKey"] ?? "", fields };
    form.current = affiniPay()?.initializeFields(config, (now) => fieldsChanged(now)) ?? null;
  });
  // The fields belong to LawPay and are made in elements that React has put on the page.
  useEffect(() => makeFields(), []);

  const fieldAt = (field: Hosted) => (
    <HostedField
      field={field}
      place={frame.place(field)}
      frameId={`${formId}-${field}`}
      onPress={() => focus(field)}
    >
      <div id={`${formId}-${field}`} />
    </HostedField>
  );
  return (
    <CardFrame
      {...props}
      frame={frame}
      fields={{
        cardNumber: fieldAt("cardNumber"),
        cardCode: fieldAt("cardCode"),
        expDate: (
          <CardInput
            field="expDate"
            place={frame.place("expDate")}
            value={expDate}
            onChange={setExpDate}
          />
        ),
      }}
    />
  );
}

function cssOf({ color, placeholderColor, fontSize, fontFamily }: HostedFieldStyle) {
  return {
    color,
    "font-size": fontSize,
    "font-family": fontFamily,
    "letter-spacing": "0.02em",
    "::placeholder": { color: placeholderColor },
  };
}

const fieldIn = ({ fields }: FieldsState, field: Hosted) =>
  fields.find(({ type }) => type === hosted[field]);

const emptyMessage = "Input field is empty";

/** The field reports an error from the first digit on, so the error counts only after the field was left. */
function hostedFieldState(state: FieldsState, field: Hosted): FieldState {
  const error = fieldIn(state, field)?.error ?? emptyMessage;
  return { isEmpty: error === emptyMessage, isValid: error === "", canBecomeValid: true };
}

function expiry(expDate: string) {
  const [month = "", year = ""] = expDate.split("/");
  return { exp_month: month, exp_year: `20${year}` };
}

/** The account may require these for a charge; they also lower fees. */
function billing(payer: Attorney): Record<string, string> {
  const known = {
    name: payer.name,
    email: payer.email,
    address1: payer.addressLine1,
    city: payer.addressCity,
    state: payer.addressRegion,
    postal_code: payer.addressZip,
  };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== ""));
}

const timeoutSeconds = 20;
const noAnswer = "LawPay has not answered. Nothing was charged. Please try again.";

async function read(form: HostedForm | null, details: Record<string, string>): Promise<CardRead> {
  if (!form) throw new Error("The card fields are not ready yet.");
  const asked = form.getPaymentToken(details).then(tokenOf, refusalOf);
  return await withTimeout(timeoutSeconds, asked, { apiErrors: [noAnswer] });
}

/** The page never sees the number, so it relies on LawPay for the brand. */
function tokenOf(token: { id: string; card_type?: string }): CardRead {
  return token.card_type === "UNKNOWN"
    ? { apiErrors: [cardMessages.cardNumber] }
    : { token: token.id };
}

function refusalOf(exception: unknown): CardRead {
  const { message, messages = [] } = affiniPay()?.parseException(exception) ?? {};
  const words = messages.length > 0 ? messages : [message ?? ""];
  return { apiErrors: words.filter(Boolean).length > 0 ? words : [noAnswer] };
}
