/*
 * One of Stripe's framed fields: number, expiry or code. The page around it never sees what is typed;
 * fields of one group, being of one origin, tell each other over a channel whose name only they know.
 */
(() => {
  const params = new URLSearchParams(location.hash.slice(1));
  const kind = params.get("kind");
  const group = new BroadcastChannel(params.get("group"));
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel, not a window
  const share = (message) => group.postMessage(message);
  const input = document.querySelector("#field");
  const shop = params.get("shop");
  const tell = (message) => parent.postMessage({ field: params.get("id"), ...message }, shop);

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
  const brandOf = (digits) => brands.find(([, pattern]) => pattern.test(digits)) ?? unknownBrand;

  /** The brand typed into the number field; it decides how long the code is. */
  let brand = "unknown";

  const labels = {
    cardNumber: ["Credit or debit card number", "cc-number", "1234 1234 1234 1234"],
    cardExpiry: ["Credit or debit card expiration date", "cc-exp", "MM / YY"],
    cardCvc: ["Credit or debit card CVC/CVV", "cc-csc", "CVC"],
  };
  const [label, autocomplete, placeholder] = labels[kind];
  input.setAttribute("aria-label", label);
  input.autocomplete = autocomplete;
  input.placeholder = placeholder;

  const digits = () => input.value.replace(/\D/g, "");

  const rules = {
    cardNumber: {
      show(typed) {
        const [, , lengths, gaps] = brandOf(typed);
        return typed
          .slice(0, lengths.at(-1))
          .split("")
          .map((digit, i) => (gaps.includes(i) ? ` ${digit}` : digit))
          .join("");
      },
      problem() {
        const [, , lengths] = brandOf(digits());
        if (!lengths.includes(digits().length))
          return ["incomplete_number", "Your card number is incomplete."];
        return passesLuhn(digits()) ? null : ["invalid_number", "Your card number is invalid."];
      },
    },
    cardExpiry: {
      show(typed) {
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
      show: (typed) => typed.slice(0, brand === "amex" || brand === "unknown" ? 4 : 3),
      problem() {
        const lengths = { amex: [4], unknown: [3, 4] }[brand] ?? [3];
        if (lengths.includes(digits().length)) return null;
        return ["incomplete_cvc", "Your card's security code is incomplete."];
      },
    },
  };
  const rule = rules[kind];

  function passesLuhn(number) {
    let sum = 0;
    for (let index = 0; index < number.length; index += 1) {
      const digit = Number(number[number.length - 1 - index]) * (index % 2 === 1 ? 2 : 1);
      sum += digit > 9 ? digit - 9 : digit;
    }
    return sum % 10 === 0;
  }

  const asError = ([code, message]) => ({ type: "validation_error", code, message });

  /** While somebody types, what is merely incomplete is no mistake yet. */
  function report({ isFinal }) {
    const found = rule.problem();
    const isMistake = found && (isFinal || !found[0].startsWith("incomplete"));
    const empty = input.value === "";
    tell({
      event: "change",
      detail: {
        elementType: kind,
        empty,
        complete: !found,
        error: isMistake && !empty ? asError(found) : undefined,
        ...(kind === "cardNumber" && { brand }),
      },
    });
  }

  function typed() {
    const atEnd = input.selectionStart === input.value.length;
    const shown = rule.show(digits());
    if (shown !== input.value) {
      const position = input.selectionStart;
      input.value = shown;
      const at = atEnd ? shown.length : position;
      input.setSelectionRange(at, at);
    }
    if (kind === "cardNumber") {
      [brand] = brandOf(digits());
      share({ brand });
    }
    report({ isFinal: false });
  }

  input.addEventListener("input", typed);
  input.addEventListener("focus", () => tell({ event: "focus" }));
  input.addEventListener("blur", () => {
    tell({ event: "blur" });
    if (input.value !== "") report({ isFinal: true });
  });
  input.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") tell({ event: "escape" });
  });

  /** What siblings say: the brand, or that the number field needs what they hold. */
  group.addEventListener("message", ({ data }) => {
    if (data.brand) {
      ({ brand } = data);
      if (kind === "cardCvc" && input.value !== "") typed();
    }
    if (data.gather && kind !== "cardNumber") {
      share({ gathered: data.gather, kind, value: digits(), problem: rule.problem() });
      if (rule.problem()) report({ isFinal: true });
    }
  });

  /** This number, and what the other fields on the page hold. */
  async function gathered(kinds) {
    const ticket = crypto.randomUUID();
    const answers = kinds.map((wanted) => answerOf(wanted, ticket));
    share({ gather: ticket });
    const own = { kind, value: digits(), problem: rule.problem() };
    return [own, ...(await Promise.all(answers))];
  }

  function answerOf(wanted, ticket) {
    return new Promise((resolve) => {
      const listen = ({ data }) => {
        if (data.gathered !== ticket || data.kind !== wanted) return;
        group.removeEventListener("message", listen);
        resolve(data);
      };
      group.addEventListener("message", listen);
    });
  }

  /** Send the card to the API; `prefix` says under which name it goes there. */
  async function submit({ path, form, prefix, kinds }) {
    const parts = await gathered(kinds);
    const wrong = parts.find(({ problem }) => problem);
    if (wrong) {
      report({ isFinal: true });
      return { error: asError(wrong.problem) };
    }
    const value = (wanted) => parts.find((part) => part.kind === wanted)?.value ?? "";
    const body = new URLSearchParams(form);
    body.set(`${prefix}[number]`, value("cardNumber"));
    body.set(`${prefix}[exp_month]`, value("cardExpiry").slice(0, 2));
    body.set(`${prefix}[exp_year]`, value("cardExpiry").slice(2));
    if (value("cardCvc") !== "") body.set(`${prefix}[cvc]`, value("cardCvc"));
    return await post(path, body);
  }

  async function post(path, body) {
    try {
      const response = await fetch(path, { method: "POST", body });
      const answer = await response.json();
      return answer.error ? { error: answer.error } : { answer };
    } catch {
      const message =
        "We are experiencing issues connecting to our payments provider. You have not been charged. Please check your internet connection and try again.";
      return { error: { type: "api_connection_error", message } };
    }
  }

  const orders = {
    focus: () => input.focus(),
    blur: () => input.blur(),
    clear() {
      input.value = "";
      typed();
    },
    update: ({ options }) => dress(options),
    async submit(order) {
      tell({ event: "submitted", ticket: order.ticket, result: await submit(order) });
    },
  };

  window.addEventListener("message", ({ data, source, origin }) => {
    if (source === parent && origin === shop) void orders[data.order]?.(data);
  });

  /** Stripe's own style options: `base`, `:focus`, `::placeholder`, `invalid`… */
  function dress({ style = {}, placeholder: shown, disabled }) {
    if (shown !== undefined) input.placeholder = shown;
    if (disabled !== undefined) input.disabled = disabled;
    const sheet = new CSSStyleSheet();
    for (const [state, looks] of Object.entries(style)) {
      if (state === "base") sheet.insertRule(`input { ${declarations(looks)} }`);
      for (const [inner, more] of Object.entries(looks)) {
        if (typeof more === "object") sheet.insertRule(`input${inner} { ${declarations(more)} }`);
      }
    }
    document.adoptedStyleSheets = [sheet];
  }

  function declarations(looks) {
    return Object.entries(looks)
      .filter(([, value]) => typeof value !== "object")
      .map(
        ([name, value]) =>
          `${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}: ${value}`,
      )
      .join("; ");
  }

  tell({ event: "ready" });
})();
