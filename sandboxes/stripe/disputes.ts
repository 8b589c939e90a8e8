import { type Asked, truth, wanted } from "./asked.ts";
import { type Charge, type Dispute, newId, secondsNow } from "./books.ts";
import { announce, type Herald } from "./events.ts";
import { badState, noSuch } from "./refusals.ts";

/** The cardholder complains; for all but an inquiry the money is taken back at once. */
export function startDispute(
  herald: Herald,
  charge: Charge,
  kind: "fraudulent" | "product_not_received" | "inquiry",
): void {
  const { books } = herald;
  const isInquiry = kind === "inquiry";
  const { object } = books.charges.set(charge.object.id, {
    ...charge,
    object: { ...charge.object, disputed: !isInquiry },
  });
  const id = newId("du");
  const dispute = books.disputes.set(id, {
    account: charge.account,
    object: {
      id,
      object: "dispute",
      amount: object.amount,
      charge: object.id,
      created: secondsNow(books),
      currency: "usd",
      evidence_details: { due_by: secondsNow(books) + 7 * 86_400, has_evidence: false },
      is_charge_refundable: isInquiry,
      livemode: false,
      metadata: {},
      payment_intent: object.payment_intent,
      reason: isInquiry ? "general" : kind,
      status: isInquiry ? "warning_needs_response" : "needs_response",
    },
  });
  announce(herald, charge.account, "charge.dispute.created", dispute.object, null);
  if (isInquiry) return;
  announce(herald, charge.account, "charge.dispute.funds_withdrawn", dispute.object, null);
}

export function warnOfFraud(herald: Herald, { account, object }: Charge): void {
  const warning = {
    id: newId("issfr"),
    object: "radar.early_fraud_warning",
    actionable: true,
    charge: object.id,
    created: secondsNow(herald.books),
    fraud_type: "misc",
    livemode: false,
    payment_intent: object.payment_intent,
  };
  announce(herald, account, "radar.early_fraud_warning.created", warning, null);
}

export function showDispute(herald: Herald, asked: Asked): object {
  return disputeOf(herald, asked).object;
}

/** POST /v1/disputes/:id: evidence `winning_evidence` wins, `losing_evidence` loses. */
export function answerDispute(herald: Herald, asked: Asked): object {
  const dispute = disputeOf(herald, asked);
  const evidence = wanted(asked, "evidence", "uncategorized_text");
  if (!truth(wanted(asked, "submit") ?? "true")) return dispute.object;
  if (evidence === "winning_evidence") return close(herald, dispute, "won");
  if (evidence === "losing_evidence") return close(herald, dispute, "lost");
  return close(herald, dispute, "under_review");
}

/** POST /v1/disputes/:id/close: give in. */
export function closeDispute(herald: Herald, asked: Asked): object {
  return close(herald, disputeOf(herald, asked), "lost");
}

function close(herald: Herald, dispute: Dispute, status: "won" | "lost" | "under_review"): object {
  const { books } = herald;
  if (!["needs_response", "warning_needs_response"].includes(dispute.object.status)) {
    throw badState("This dispute is already closed.");
  }
  const { account, object } = books.disputes.set(dispute.object.id, {
    ...dispute,
    object: { ...dispute.object, status },
  });
  if (status === "under_review") announce(herald, account, "charge.dispute.updated", object, null);
  else announce(herald, account, "charge.dispute.closed", object, null);
  if (status === "won") {
    const charge = books.charges.get(object.charge);
    if (charge) {
      books.charges.set(object.charge, {
        ...charge,
        object: { ...charge.object, disputed: false },
      });
    }
    announce(herald, account, "charge.dispute.funds_reinstated", object, null);
  }
  return object;
}

function disputeOf({ books }: Herald, asked: Asked): Dispute {
  const found = books.disputes.get(asked.id);
  if (found?.account !== asked.account) throw noSuch("dispute", asked.id);
  return found;
}
