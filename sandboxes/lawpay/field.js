/* One of LawPay's hosted fields: the card number or its code. */
import {
  applyStyle,
  askSiblings,
  digits,
  input,
  kind,
  onOrders,
  onSiblings,
  passesLuhn,
  show,
  tellPage,
  tellSiblings,
} from "../hosted-field.js";

let isAmex = false;

const fields = {
  credit_card_number: {
    label: "Credit card number",
    autocomplete: "cc-number",
    format: (typed) => typed.slice(0, 19).replace(/(\d{4})(?=\d)/g, "$1 "),
    problem: () =>
      /^\d{13,19}$/.test(digits()) && passesLuhn(digits()) ? "" : "Credit card number is invalid",
  },
  cvv: {
    label: "Security code",
    autocomplete: "cc-csc",
    format: (typed) => typed.slice(0, isAmex ? 4 : 3),
    problem: () => (digits().length === (isAmex ? 4 : 3) ? "" : "CVV is invalid"),
  },
};
const field = fields[kind];
input.setAttribute("aria-label", field.label);
input.autocomplete = field.autocomplete;
input.required = true; // an empty field is `:invalid` in the merchant's CSS

function report() {
  const error = input.value === "" ? "Input field is empty" : field.problem();
  input.setCustomValidity(error);
  const state = { type: kind, focus: document.activeElement === input, error };
  tellPage({ event: "state", state, length: digits().length });
}

function handleTyping() {
  show(field.format(digits()));
  if (kind === "credit_card_number") tellSiblings({ isAmex: /^3[47]/.test(digits()) });
  report();
}

input.addEventListener("input", handleTyping);
input.addEventListener("focus", report);
input.addEventListener("blur", report);

onSiblings((data) => {
  if (kind !== "cvv") return;
  if (data.isAmex !== undefined && data.isAmex !== isAmex) {
    ({ isAmex } = data);
    report();
  }
  if (data.ask) tellSiblings({ answers: data.ask, kind, value: digits() });
});

/** Only called in the number's field. */
async function tokenise({ publicKey, formData, hasCode }) {
  const [code] = await askSiblings(hasCode ? ["cvv"] : []);
  const response = await fetch("../v1/tokens", {
    method: "POST",
    headers: {
      authorization: `Basic ${btoa(`${publicKey}:`)}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ ...formData, number: digits(), cvv: code?.value }),
  });
  const answer = await response.json();
  if (response.ok) return { token: answer };
  return { refused: answer.messages.map(({ message, code: name }) => message ?? name) };
}

onOrders({
  focus: () => input.focus(),
  clear() {
    input.value = "";
    handleTyping();
  },
  style({ css, placeholder }) {
    input.placeholder = placeholder ?? "";
    applyStyle(css);
  },
  async tokenise(order) {
    const { ticket } = order;
    try {
      tellPage({ event: "tokenised", ticket, ...(await tokenise(order)) });
    } catch {
      tellPage({ event: "tokenised", ticket, isUnreachable: true });
    }
  },
});
tellPage({ event: "ready" });
report();
