import type { Card } from "#kit/domain/card.ts";
import { CardForm } from "#cards/charge/CardForm.tsx";
import { withTimeout } from "./timeout.tsx";
import type { CardAcceptance, CardRead, ProcessorFormProps } from "./processor-form.tsx";
import { pageGlobal, WithScript } from "./script.tsx";

/** What Accept.js adds to the page. */
interface Accept {
  dispatchData: (secureData: object, handler: (response: AcceptResponse) => void) => void;
}

interface AcceptResponse {
  messages: { resultCode: "Ok" | "Error"; message: { code: string; text: string }[] };
  /** Absent when the card was refused. */
  opaqueData?: { dataDescriptor: string; dataValue: string };
}

/** Authorize.Net: Accept.js turns the card into a nonce, for one charge within fifteen minutes. */
export function Anet(props: ProcessorFormProps) {
  const { acceptance } = props;
  return (
    <WithScript src={acceptance.scriptUrl} isReady={isReady}>
      {() => <CardForm {...props} read={(card) => read(card, acceptance)} />}
    </WithScript>
  );
}

/** The script's second half loads later and sets a global of its own. */
function isReady(): boolean {
  return pageGlobal("isReady") === true && typeof accept()?.dispatchData === "function";
}

const accept = () => pageGlobal("Accept") as Accept | undefined;

const timeoutSeconds = 20;
const noAnswer = "Authorize.Net has not answered. Nothing was charged. Please try again.";

/** Accept.js never calls back when the network fails. Calling it charges nothing. */
async function read(card: Card, { clientIds, publicKeys }: CardAcceptance): Promise<CardRead> {
  const [month = "", year = ""] = card.expDate.split("/");
  const asked = new Promise<CardRead>((resolve) => {
    const authData = { apiLoginID: clientIds["apiLoginID"], clientKey: publicKeys["clientKey"] };
    const cardData = {
      cardNumber: card.cardNumber.replaceAll(" ", ""),
      cardCode: card.cardCode,
      month,
      year,
    };
    const handleResponse = (response: AcceptResponse) => resolve(readOf(response));
    accept()?.dispatchData({ authData, cardData }, handleResponse);
  });
  return await withTimeout(timeoutSeconds, asked, { apiErrors: [noAnswer] });
}

function readOf({ messages, opaqueData }: AcceptResponse): CardRead {
  return messages.resultCode === "Ok" && opaqueData
    ? { token: opaqueData.dataValue }
    : { apiErrors: messages.message.map(({ text }) => text) };
}
