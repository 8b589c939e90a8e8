/*
 * One hosted field: the card number or its code. The page around it only hears whether it is in order;
 * the two fields of a form tell each other over a channel whose name only they know.
 */
(() => {
  const params = new URLSearchParams(location.hash.slice(1));
  const kind = params.get("kind");
  const shop = params.get("shop");
  const group = new BroadcastChannel(params.get("group"));
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel, not a window
  const share = (message) => group.postMessage(message);
  const tell = (message) => parent.postMessage({ field: params.get("id"), ...message }, shop);
  const input = document.querySelector("#field");
  const digits = () => input.value.replace(/\D/g, "");

  let isAmex = false;

  const settings = {
    credit_card_number: {
      label: "Credit card number",
      autocomplete: "cc-number",
      show: (typed) => typed.slice(0, 19).replace(/(\d{4})(?=\d)/g, "$1 "),
      error: () =>
        /^\d{13,19}$/.test(digits()) && passesLuhn(digits()) ? "" : "Credit card number is invalid",
    },
    cvv: {
      label: "Security code",
      autocomplete: "cc-csc",
      show: (typed) => typed.slice(0, isAmex ? 4 : 3),
      error: () => (digits().length === (isAmex ? 4 : 3) ? "" : "CVV is invalid"),
    },
  };
  const own = settings[kind];
  input.setAttribute("aria-label", own.label);
  input.autocomplete = own.autocomplete;

  const error = () => (input.value === "" ? "Input field is empty" : own.error());

  function passesLuhn(number) {
    let sum = 0;
    for (let index = 0; index < number.length; index += 1) {
      const digit = Number(number[number.length - 1 - index]) * (index % 2 === 1 ? 2 : 1);
      sum += digit > 9 ? digit - 9 : digit;
    }
    return sum % 10 === 0;
  }

  function report() {
    const problem = error();
    input.setCustomValidity(problem); // for `:valid` and `:invalid` in the merchant's css
    const state = { type: kind, focus: document.activeElement === input, error: problem };
    tell({ event: "state", state, length: digits().length });
  }

  function typed() {
    const atEnd = input.selectionStart === input.value.length;
    const position = input.selectionStart;
    input.value = own.show(digits());
    const at = atEnd ? input.value.length : position;
    input.setSelectionRange(at, at);
    if (kind === "credit_card_number") share({ isAmex: /^3[47]/.test(digits()) });
    report();
  }

  input.addEventListener("input", typed);
  input.addEventListener("focus", report);
  input.addEventListener("blur", report);

  group.addEventListener("message", ({ data }) => {
    if (kind !== "cvv") return;
    if (data.isAmex !== undefined && data.isAmex !== isAmex) {
      ({ isAmex } = data);
      report();
    }
    if (data.gather) share({ gathered: data.gather, value: digits() });
  });

  function codeOfSibling() {
    return new Promise((resolve) => {
      const ticket = crypto.randomUUID();
      const listen = ({ data }) => {
        if (data.gathered !== ticket) return;
        group.removeEventListener("message", listen);
        resolve(data.value);
      };
      group.addEventListener("message", listen);
      share({ gather: ticket });
    });
  }

  /** Only the number's field is asked for this. */
  async function tokenise({ publicKey, formData, hasCode }) {
    const card = { number: digits(), ...(hasCode && { cvv: await codeOfSibling() }) };
    const response = await fetch("../v1/tokens", {
      method: "POST",
      headers: {
        authorization: `Basic ${btoa(`${publicKey}:`)}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ ...formData, ...card }),
    });
    const answer = await response.json();
    if (response.ok) return { token: answer };
    return { refused: answer.messages.map(({ message, code }) => message ?? code) };
  }

  const orders = {
    focus: () => input.focus(),
    clear() {
      input.value = "";
      typed();
    },
    disable: ({ isDisabled }) => {
      input.disabled = isDisabled;
    },
    dress: ({ css, placeholder }) => {
      input.placeholder = placeholder ?? "";
      const sheet = new CSSStyleSheet();
      for (const [selector, looks] of Object.entries({ "": css, ...nested(css) })) {
        sheet.insertRule(`input${selector} { ${declarations(looks)} }`);
      }
      document.adoptedStyleSheets = [sheet];
    },
    async tokenise(order) {
      const { ticket } = order;
      try {
        tell({ event: "tokenised", ticket, ...(await tokenise(order)) });
      } catch {
        tell({ event: "tokenised", ticket, isUnreachable: true });
      }
    },
  };

  const nested = (css) =>
    Object.fromEntries(Object.entries(css).filter(([, value]) => typeof value === "object"));

  function declarations(looks) {
    return Object.entries(looks)
      .filter(([, value]) => typeof value !== "object")
      .map(([name, value]) => `${name}: ${value}`)
      .join("; ");
  }

  window.addEventListener("message", ({ data, source, origin }) => {
    if (source === parent && origin === shop) void orders[data.order]?.(data);
  });

  tell({ event: "ready" });
  report();
})();
