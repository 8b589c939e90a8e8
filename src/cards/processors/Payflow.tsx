import type { z } from "zod";
import type { Card } from "#kit/domain/card.ts";
import { call } from "#kit/web/api.tsx";
import { CardForm } from "#cards/charge/CardForm.tsx";
import { payflowSecureToken } from "#cards/contract.ts";
import type { Payment } from "#dues/ledger/typed-amounts.tsx";
import { withTimeout } from "./timeout.tsx";
import type { CardRead, ProcessorFormProps } from "./processor-form.tsx";

type Session = z.output<typeof payflowSecureToken.object>;

/**
 * PayPal Payflow Pro: the browser posts the card to PayPal in a hidden frame, and PayPal charges the amount
 * that our server requested. PayPal posts its answer from the frame to our return page, which passes it to
 * this page. There is no script.
 */
export function Payflow(props: ProcessorFormProps) {
  return <CardForm {...props} read={(card) => read(card, props.payment)} />;
}

const timeoutSeconds = 60;

async function read(card: Card, { total, name }: Payment): Promise<CardRead> {
  const session = await call(payflowSecureToken, {
    body: { amount: total, idempotency_key: name },
  });
  const frame = document.createElement("iframe");
  frame.hidden = true;
  frame.name = `payflow-${session.secureTokenId}`;
  frame.title = "PayPal";
  document.body.append(frame);
  const given = new AbortController();
  try {
    const answered = answerIn(frame, session, given.signal);
    postCard(card, session, frame.name);
    // No answer: our server asks PayPal what was charged with the secure token.
    return await withTimeout(timeoutSeconds, answered, { token: session.secureTokenId });
  } finally {
    given.abort();
    frame.remove();
  }
}

/** A form that exists only to be posted; our form on the page has no names to post. */
function postCard(card: Card, { postUrl, secureToken, secureTokenId }: Session, target: string) {
  const form = document.createElement("form");
  form.method = "post";
  form.action = postUrl;
  form.target = target;
  form.hidden = true;
  const fields = {
    SECURETOKEN: secureToken,
    SECURETOKENID: secureTokenId,
    TENDER: "C",
    ACCT: card.cardNumber.replaceAll(" ", ""),
    EXPDATE: card.expDate.replace("/", ""),
    CSC: card.cardCode,
  };
  for (const [name, value] of Object.entries(fields)) {
    const input = document.createElement("input");
    Object.assign(input, { type: "hidden", name, value });
    form.append(input);
  }
  document.body.append(form);
  form.submit();
  form.remove();
}

/**
 * Our return page's message from the frame: a sentence if the card was certainly refused; otherwise our
 * server asks PayPal. Any site may post messages, so only those from our own page are read.
 */
async function answerIn(
  frame: HTMLIFrameElement,
  { secureTokenId }: Session,
  signal: AbortSignal,
): Promise<CardRead> {
  return await new Promise<CardRead>((resolve) => {
    const answered = ({ origin, source, data }: MessageEvent<unknown>) => {
      if (origin !== window.location.origin || source !== frame.contentWindow) return;
      const answer = data as { secureTokenId?: string; message?: string | null }; // from our own page
      if (answer.secureTokenId !== secureTokenId) return;
      resolve(answer.message ? { apiErrors: [answer.message] } : { token: secureTokenId });
    };
    window.addEventListener("message", answered, { signal });
  });
}
