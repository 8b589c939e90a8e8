import type { Card } from "#domain/card.ts";
import { call } from "#web/api.tsx";
import { CardForm } from "#features/cards/charge/CardForm.tsx";
import { elavonSessionToken } from "#features/cards/contract.ts";
import { useLoadedRecord } from "#features/payments/own-record.tsx";
import { withTimeout } from "./timeout.tsx";
import type { CardRead, ProcessorFormProps } from "./processor-form.tsx";
import { pageGlobal, WithScript } from "./script.tsx";

/** What Checkout.js puts on the page. It calls exactly one of the callbacks back. */
interface Converge {
  pay: (
    fields: Record<string, string>,
    callbacks: {
      onApproval: (response: { ssl_txn_id: string }) => void;
      /** The issuer's decline, or the gateway's refusal of what was typed. */
      onDeclined: (response: { errorMessage?: string; ssl_result_message?: string }) => void;
      /** A text, or an object with one: integrations have met both. */
      onError: (error: string | { errorMessage?: string; errorName?: string }) => void;
      onCancelled: () => void;
    },
  ) => void;
}

/** Elavon Converge: the browser charges the card, in a session that our server opens for each attempt. */
export function Elavon(props: ProcessorFormProps) {
  const payer = useLoadedRecord();
  const read = async (card: Card) => {
    const { token } = await call(elavonSessionToken, {
      query: {
        first_name: payer?.firstName ?? "",
        last_name: payer?.lastName ?? "",
        address: payer?.addressLine1 ?? "",
        zip: payer?.addressZip ?? "",
        amount: props.payment.total,
        idempotency_key: props.payment.name,
      },
    });
    return await withTimeout(timeoutSeconds, charge(card, token ?? ""), { apiErrors: [noAnswer] });
  };
  return (
    <WithScript src={props.acceptance.scriptUrl} isReady={() => Boolean(converge())}>
      {() => <CardForm {...props} read={read} />}
    </WithScript>
  );
}

const converge = () => pageGlobal("ConvergeEmbeddedPayment") as Converge | undefined;

/** As long as our server waits for what another page began: only then may this one begin anew. */
const timeoutSeconds = 60;
/** The card may have been charged: our server looks it up, and refuses a second payment. */
const noAnswer =
  "Elavon has not answered. If your card was charged, the payment will appear under Paid within half an hour; please look there before you pay again.";

async function charge(card: Card, session: string): Promise<CardRead> {
  return await new Promise<CardRead>((resolve) => {
    const refuse = (text: string | undefined) =>
      resolve({ apiErrors: [text || "The card could not be charged. Please try again."] });
    converge()?.pay(
      {
        ssl_txn_auth_token: session,
        ssl_card_number: card.cardNumber.replaceAll(" ", ""),
        ssl_exp_date: card.expDate.replace("/", ""),
        ssl_cvv2cvc2: card.cardCode,
        ssl_cvv2cvc2_indicator: "1",
      },
      {
        onApproval: ({ ssl_txn_id: transactionId }) => resolve({ token: transactionId }),
        onDeclined: ({ errorMessage, ssl_result_message: result }) =>
          refuse(`declined: ${errorMessage || result || "no reason was given"}`),
        onError: (error) =>
          refuse(typeof error === "string" ? error : (error.errorMessage ?? error.errorName)),
        onCancelled: () => refuse(undefined),
      },
    );
  });
}
