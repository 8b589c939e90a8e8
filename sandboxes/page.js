/* The live part of the page: what was charged, and which faults stand. */

const names = {
  anet: "Authorize.Net",
  stripe: "Stripe",
  elavon: "Elavon",
  lawpay: "LawPay",
  paypal_payflow_pro: "Payflow Pro",
};
const processors = Object.keys(names);
const element = (selector) => document.querySelector(selector);

async function ask(path, body) {
  const isOrder = body !== undefined;
  const headers = isOrder ? { "content-type": "application/json" } : {};
  const method = isOrder ? "POST" : "GET";
  const response = await fetch(`/_control/${path}`, { method, headers, body });
  return await response.json();
}

function row(cells) {
  const tr = document.createElement("tr");
  tr.append(
    ...cells.map(([text, className = ""]) => {
      const td = document.createElement("td");
      td.textContent = text;
      td.className = className;
      return td;
    }),
  );
  return tr;
}

const dollars = (cents) =>
  (cents / 100).toLocaleString("en-US", { style: "currency", currency: "USD" });

async function showCharges() {
  const books = await Promise.all(
    processors.map(async (processor) => ({ processor, ...(await ask(`${processor}/charges`)) })),
  );
  const last = books
    .flatMap(({ processor, charges }) => charges.map((charge) => ({ processor, ...charge })))
    .toSorted((one, other) => other.at.localeCompare(one.at))
    .slice(0, 25);
  element("#charges").replaceChildren(
    ...last.map((charge) =>
      row([
        [new Date(charge.at).toLocaleString()],
        [names[charge.processor]],
        [charge.reference ?? "none"],
        [`ending in ${charge.cardLast4}`],
        [charge.reason ? `${charge.state}: ${charge.reason}` : charge.state],
        [dollars(charge.amountCents), "amount"],
        [charge.refundedCents > 0 ? dollars(charge.refundedCents) : "", "amount"],
      ]),
    ),
  );
  const net = books.reduce((total, { totals }) => total + totals.netCents, 0);
  const count = books.reduce((total, { totals }) => total + totals.charges, 0);
  const text = `${count === 1 ? "1 charge" : `${count} charges`} taken, ${dollars(net)} after refunds.`;
  element("#totals").textContent = last.length > 0 ? text : "Nothing has been charged yet.";
}

async function showFaults() {
  const orders = await Promise.all(
    processors.map(async (processor) => {
      const { faults } = await ask(`${processor}/faults`);
      return faults.map((fault) => `${names[processor]}: ${said(fault)}`);
    }),
  );
  element("#faults").replaceChildren(
    ...orders.flat().map((text) => {
      const li = document.createElement("li");
      li.textContent = text;
      return li;
    }),
  );
}

function said({ call = "any call", kind, times, chance }) {
  const often = chance === undefined ? "" : `, ${chance * 100} in 100`;
  return `${kind} on ${call}${often}${times === undefined ? "" : `, ${times} more`}`;
}

function choices(select, values) {
  select.replaceChildren(
    ...values.map(([value, text]) => Object.assign(new Option(text), { value })),
  );
}

async function show() {
  try {
    await Promise.all([showCharges(), showFaults()]);
  } catch {
    element("#totals").textContent = "The sandboxes do not answer.";
  }
}

const form = element("#fault");
const { calls, kinds } = await ask("");
choices(
  form.elements.processor,
  processors.map((processor) => [processor, names[processor]]),
);
choices(
  form.elements.call,
  calls.map((call) => [call, call]),
);
choices(
  form.elements.kind,
  kinds.map((kind) => [kind, kind]),
);
form.elements.call.value = "charge";
form.elements.kind.value = "drop-after";

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const [processor, call, kind] = ["processor", "call", "kind"].map(
    (name) => form.elements[name].value,
  );
  void ask(`${processor}/faults`, JSON.stringify({ call, kind })).then(show);
});
element("#stop").addEventListener("click", () => {
  const stopped = processors.map((processor) =>
    fetch(`/_control/${processor}/faults`, { method: "DELETE" }),
  );
  void Promise.all(stopped).then(show);
});
element("#settle").addEventListener("click", () => {
  void Promise.all(processors.map((processor) => ask(`${processor}/settle`, "{}"))).then(show);
});

await show();
setInterval(() => void show(), 3_000);
