import type { Card } from "#kit/domain/card.ts";
import { call } from "#kit/web/api.tsx";
import { CardForm } from "#cards/charge/CardForm.tsx";
import { elavonSessionToken } from "#cards/contract.ts";
import { useLoadedRecord } from "#payments/own-record.tsx";
import { withTimeout } from "./timeout.tsx";
import type { CardRead, ProcessorFormProps } from "./processor-form.tsx";
import { pageGlobal, WithScript } from "./script.tsx";

/** What Checkout.js adds to the page. It calls exactly one of the callbacks. */
interface Converge {
  pay: (
    fields: Record<string, string>,
    callbacks: {
      onApproval: (response: { ssl_txn_id: string }) => void;
      /** The card was declined by its issuer, or the gateway refused the input. */
      onDeclined: (response: { errorMessage?: string; ssl_result_message?: string }) => void;
      /** A text or an object with one: both have been seen. */
      onError: (error: string | { errorMessage?: string; errorName?: string }) => void;
      onCancelled: () => void;
    },
  ) => void;
}

/** Elavon Converge: the browser charges the card, in a session that our server opens for each attempt. */
export function Elavon(props: ProcessorFormProps) {
  const payer = useLoadedRecord();
  const { total, name } = props.payment;
  const read = async (card: Card): Promise<CardRead> => {
    if (mayBeUnderWay(name)) return { apiErrors: [underWay] };
    const { token } = await call(elavonSessionToken, {
      query: {
        first_name: payer?.firstName ?? "",
        last_name: payer?.lastName ?? "",
        address: payer?.addressLine1 ?? "",
        zip: payer?.addressZip ?? "",
        amount: total,
        idempotency_key: name,
      },
    });
    startTimes.set(name, Date.now());
    return await withTimeout(timeoutSeconds, charge(card, token ?? "", name), {
      apiErrors: [noAnswer],
    });
  };
  return (
    <WithScript src={props.acceptance.scriptUrl} isReady={() => Boolean(converge())}>
      {() => <CardForm {...props} read={read} />}
    </WithScript>
  );
}

const converge = () => pageGlobal("ConvergeEmbeddedPayment") as Converge | undefined;

/** Our server waits this long for a charge started on another page; only then may this page start again. */
const timeoutSeconds = 60;
/**
 * When charging started, in milliseconds since 1970, by the payment's name; removed once Converge has given
 * the result.
 */
const startTimes = new Map<string, number>();

/** Also true after an error, which may be a lost connection, and in a dialog that was closed and reopened. */
const mayBeUnderWay = (name: string) =>
  Date.now() < (startTimes.get(name) ?? -Infinity) + timeoutSeconds * 1_000;

const underWay =
  "Elavon has not said yet whether your card was charged. Wait a minute. If the payment does not appear under Paid, try again.";
/** The card may have been charged: our server looks it up and refuses a second payment. */
const noAnswer =
  "Elavon has not answered. If your card was charged, the payment will appear under Paid within half an hour. Look there before you pay again.";

async function charge(card: Card, session: string, name: string): Promise<CardRead> {
  return await new Promise<CardRead>((resolve) => {
    const refuse = (text: string | undefined) =>
      resolve({ apiErrors: [text || "The card could not be charged. Please try again."] });
    const forgetStart = () => void startTimes.delete(name);
    converge()?.pay(
      {
        ssl_txn_auth_token: session,
        ssl_card_number: card.cardNumber.replaceAll(" ", ""),
        ssl_exp_date: card.expDate.replace("/", ""),
        ssl_cvv2cvc2: card.cardCode,
        ssl_cvv2cvc2_indicator: "1",
      },
      {
        onApproval: ({ ssl_txn_id: transactionId }) => {
          forgetStart();
          resolve({ token: transactionId });
        },
        onDeclined: ({ errorMessage, ssl_result_message: result }) => {
          forgetStart();
          refuse(`declined: ${errorMessage || result || "no reason was given"}`);
        },
        onError: (error) =>
          refuse(typeof error === "string" ? error : (error.errorMessage ?? error.errorName)),
        onCancelled: () => refuse(undefined),
      },
    );
  });
}
