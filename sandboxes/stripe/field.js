/* One of Stripe's framed fields: number, expiry or code. */
import { callApi } from "./api.js";
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

const brands = [
  ["visa", /^4/, [16], [4, 8, 12]],
  ["mastercard", /^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16], [4, 8, 12]],
  ["amex", /^3[47]/, [15], [4, 10]],
  ["discover", /^(6011|65|64[4-9])/, [16], [4, 8, 12]],
  ["diners", /^3(0[0-5]|[689])/, [14, 16], [4, 10]],
  ["jcb", /^(35|2131|1800)/, [16], [4, 8, 12]],
  ["unionpay", /^62/, [16, 17, 18, 19], [4, 8, 12]],
];
const unknownBrand = ["unknown", /^/, [16], [4, 8, 12]];
const brandOf = (number) => brands.find(([, pattern]) => pattern.test(number)) ?? unknownBrand;

/** The brand typed into the number field; it sets the length of the code. */
let brand = "unknown";

const fields = {
  cardNumber: {
    label: "Credit or debit card number",
    autocomplete: "cc-number",
    placeholder: "1234 1234 1234 1234",
    format(typed) {
      const [, , lengths, gaps] = brandOf(typed);
      const spaced = (digit, index) => (gaps.includes(index) ? ` ${digit}` : digit);
      return Array.from(typed.slice(0, lengths.at(-1)), spaced).join("");
    },
    problem() {
      const [, , lengths] = brandOf(digits());
      if (!lengths.includes(digits().length))
        return ["incomplete_number", "Your card number is incomplete."];
      return passesLuhn(digits()) ? null : ["invalid_number", "Your card number is invalid."];
    },
  },
  cardExpiry: {
    label: "Credit or debit card expiration date",
    autocomplete: "cc-exp",
    placeholder: "MM / YY",
    format(typed) {
      const padded = /^[2-9]/.test(typed) ? `0${typed}` : typed;
      return padded.length > 2 ? `${padded.slice(0, 2)} / ${padded.slice(2, 4)}` : padded;
    },
    problem() {
      const [month, year] = [Number(digits().slice(0, 2)), 2000 + Number(digits().slice(2))];
      if (digits().length < 4)
        return ["incomplete_expiry", "Your card's expiration date is incomplete."];
      if (month < 1 || month > 12)
        return ["invalid_expiry_month", "Your card's expiration date is invalid."];
      const now = new Date();
      if (year < now.getFullYear())
        return ["invalid_expiry_year_past", "Your card's expiration year is in the past."];
      if (new Date(year, month, 1) <= now)
        return ["invalid_expiry_month_past", "Your card's expiration date is in the past."];
      return null;
    },
  },
  cardCvc: {
    label: "Credit or debit card CVC/CVV",
    autocomplete: "cc-csc",
    placeholder: "CVC",
    format: (typed) => typed.slice(0, brand === "amex" || brand === "unknown" ? 4 : 3),
    problem() {
      const lengths = { amex: [4], unknown: [3, 4] }[brand] ?? [3];
      if (lengths.includes(digits().length)) return null;
      return ["incomplete_cvc", "Your card's security code is incomplete."];
    },
  },
};
const field = fields[kind];
input.setAttribute("aria-label", field.label);
input.autocomplete = field.autocomplete;
input.placeholder = field.placeholder;

function reportAsLeft() {
  isLeft = true;
  report();
}

const asError = ([code, message]) => ({ type: "validation_error", code, message });

/** Whether the field was left: an incomplete value is not an error while somebody is typing. */
let isLeft = false;
let lastReported = JSON.stringify(state());

function state() {
  const problem = field.problem();
  const empty = input.value === "";
  const isMistake = problem && !empty && (isLeft || !problem[0].startsWith("incomplete"));
  const error = isMistake ? asError(problem) : undefined;
  const detail = { elementType: kind, empty, complete: !problem, error };
  return kind === "cardNumber" ? { ...detail, brand } : detail;
}

/** Reporting without a change would make an emptied form look as if somebody were typing. */
function report({ isTyped } = { isTyped: false }) {
  const detail = state();
  if (!isTyped && JSON.stringify(detail) === lastReported) return;
  lastReported = JSON.stringify(detail);
  tellPage({ event: "change", detail });
}

function handleTyping() {
  isLeft = false;
  show(field.format(digits()));
  if (kind === "cardNumber") {
    [brand] = brandOf(digits());
    tellSiblings({ brand });
  }
  report({ isTyped: true });
}

input.addEventListener("input", handleTyping);
input.addEventListener("focus", () => tellPage({ event: "focus" }));
input.addEventListener("blur", () => {
  tellPage({ event: "blur" });
  reportAsLeft();
});
input.addEventListener("keydown", ({ key }) => {
  if (key === "Escape") tellPage({ event: "escape" });
});

/** Siblings send the brand, or ask for this field's value for the number field. */
onSiblings((data) => {
  if (data.brand && kind === "cardCvc") {
    ({ brand } = data);
    show(field.format(digits()));
    report();
  }
  if (data.ask && kind !== "cardNumber") {
    const problem = field.problem();
    tellSiblings({ answers: data.ask, kind, value: digits(), problem });
    if (problem) reportAsLeft();
  }
});

/** Send the card to the API; `kinds` are the other fields on the page. */
async function submit({ path, form, kinds }) {
  const own = { kind, value: digits(), problem: field.problem() };
  const parts = [own, ...(await askSiblings(kinds))];
  const wrong = parts.find(({ problem }) => problem);
  if (wrong) {
    reportAsLeft();
    return { error: asError(wrong.problem) };
  }
  const value = (wanted) => parts.find((part) => part.kind === wanted)?.value ?? "";
  const body = new URLSearchParams(form);
  body.set("card[number]", value("cardNumber"));
  body.set("card[exp_month]", value("cardExpiry").slice(0, 2));
  body.set("card[exp_year]", value("cardExpiry").slice(2));
  if (value("cardCvc") !== "") body.set("card[cvc]", value("cardCvc"));
  return await callApi("POST", path, body);
}

onOrders({
  focus: () => input.focus(),
  clear() {
    input.value = "";
    handleTyping();
  },
  update({ options: { style = {}, placeholder, disabled } }) {
    if (placeholder !== undefined) input.placeholder = placeholder;
    if (disabled !== undefined) input.disabled = disabled;
    applyStyle(style.base ?? {});
  },
  async submit(order) {
    tellPage({ event: "submitted", ticket: order.ticket, result: await submit(order) });
  },
});
tellPage({ event: "ready" });
