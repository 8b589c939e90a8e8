/*
 * Shared by the hosted card fields of Stripe and LawPay: an input in its own frame. The surrounding page
 * never sees the input; the fields of one form share an origin, and talk over a channel whose name only
 * they know.
 */
const params = new URLSearchParams(location.hash.slice(1));
export const kind = params.get("kind");
const shop = params.get("shop");
const channel = new BroadcastChannel(params.get("group"));
export const input = document.querySelector("#field");
export const digits = () => input.value.replace(/\D/g, "");

export const tellPage = (message) =>
  parent.postMessage({ field: params.get("id"), ...message }, shop);

/** Run the orders from the surrounding page, by name. */
export function onOrders(orders) {
  window.addEventListener("message", ({ data, source, origin }) => {
    if (source === parent && origin === shop) void orders[data.order]?.(data);
  });
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel, not a window
export const tellSiblings = (message) => channel.postMessage(message);

export function onSiblings(listener) {
  channel.addEventListener("message", ({ data }) => listener(data));
}

/** The answers of the form's other fields to `{ask}`, in the order of `kinds`. */
export function askSiblings(kinds) {
  const ticket = crypto.randomUUID();
  const answers = kinds.map(
    (wanted) =>
      new Promise((resolve) => {
        onSiblings((data) => {
          if (data.answers === ticket && data.kind === wanted) resolve(data);
        });
      }),
  );
  tellSiblings({ ask: ticket });
  return Promise.all(answers);
}

/** Put the text into the input; the cursor stays where it was, or at the end. */
export function show(text) {
  const { value, selectionStart } = input;
  if (text === value) return;
  input.value = text;
  const position = selectionStart === value.length ? text.length : selectionStart;
  input.setSelectionRange(position, position);
}

/** Style the input: properties in either spelling, pseudo-classes and -elements with nested properties. */
export function applyStyle(style) {
  const sheet = new CSSStyleSheet();
  const nested = Object.entries(style).filter(([, value]) => typeof value === "object");
  for (const [selector, properties] of [["", style], ...nested]) {
    sheet.insertRule(`input${selector} { ${declarations(properties)} }`);
  }
  document.adoptedStyleSheets = [sheet];
}

function declarations(properties) {
  return Object.entries(properties)
    .filter(([, value]) => typeof value !== "object")
    .map(([name, value]) => `${kebabCase(name)}: ${value}`)
    .join("; ");
}

const kebabCase = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export function passesLuhn(number) {
  let sum = 0;
  for (const [index, digit] of [...number].toReversed().entries()) {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}
