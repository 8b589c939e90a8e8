const element = (selector) => document.querySelector(selector);
const form = element("#fault");
const elsewhere = element("#elsewhere");
const processors = [...form.elements.processor.options].map(({ value, text }) => [value, text]);

async function call(method, path, body) {
  const headers = body === undefined ? {} : { "content-type": "application/json" };
  const text = body && JSON.stringify(body);
  const response = await fetch(`/_control/${path}`, { method, headers, body: text });
  return await response.json();
}

const callAll = (method, path, body) =>
  Promise.all(
    processors.map(async ([name, title]) => {
      return { name, title, ...(await call(method, `${name}/${path}`, body)) };
    }),
  );

function newElement(name, textContent, className = "") {
  return Object.assign(document.createElement(name), { textContent, className });
}

const dollars = (cents) =>
  (cents / 100).toLocaleString("en-US", { style: "currency", currency: "USD" });

async function showCharges() {
  const answers = await callAll("GET", "charges");
  const last = answers
    .flatMap(({ name, title, charges }) => charges.map((each) => ({ name, title, ...each })))
    .toSorted((one, other) => other.at.localeCompare(one.at))
    .slice(0, 25);
  element("#charges").replaceChildren(...last.map(chargeRow));
  showOptions(last.filter(({ state }) => state === "captured" || state === "settled"));
  const net = answers.reduce((sum, { totals }) => sum + totals.netCents, 0);
  const count = answers.reduce((sum, { totals }) => sum + totals.charges, 0);
  const text = `${count === 1 ? "1 charge" : `${count} charges`}, ${dollars(net)} after refunds.`;
  element("#totals").textContent = last.length > 0 ? text : "Nothing has been charged yet.";
}

function chargeRow({ title, at, reference, cardLast4, state, reason, amountCents, refundedCents }) {
  const row = document.createElement("tr");
  const texts = [
    new Date(at).toLocaleString(),
    title,
    reference ?? "none",
    `ending in ${cardLast4}`,
    reason ? `${state}: ${reason}` : state,
  ];
  const amounts = [dollars(amountCents), refundedCents > 0 ? dollars(refundedCents) : ""];
  row.append(
    ...texts.map((text) => newElement("td", text)),
    ...amounts.map((text) => newElement("td", text, "amount")),
  );
  return row;
}

/** Keeps the selected charge while the list is updated. */
function showOptions(charges) {
  const { charge: select } = elsewhere.elements;
  const chosen = select.value;
  const options = charges.map(({ name, title, id, reference, amountCents }) =>
    Object.assign(new Option(), {
      value: `${name} ${id}`,
      text: `${title}, ${reference ?? id}, ${dollars(amountCents)}`,
    }),
  );
  select.replaceChildren(...options);
  if (options.some(({ value }) => value === chosen)) select.value = chosen;
}

/** `20` or `20.50` in whole cents; undefined if blank. */
function centsOf(amount) {
  const [, whole, fraction = ""] = /^(\d+)(?:\.(\d{1,2}))?$/.exec(amount.trim()) ?? [];
  return whole === undefined ? undefined : Number(whole + fraction.padEnd(2, "0"));
}

/** Void, refund or dispute at the processor, without a call from the product. */
async function actElsewhere(step) {
  const [name, id] = elsewhere.elements.charge.value.split(" ");
  const amountCents = centsOf(elsewhere.elements.amount.value);
  const answer =
    step === "void"
      ? await call("POST", `${name}/void`, { id })
      : step === "refund"
        ? await call("POST", `${name}/refund`, { id, amountCents })
        : await call("POST", `${name}/dispute`, { id, step, amountCents });
  element("#done").textContent = Object.values(answer).includes(true)
    ? "Done."
    : "That cannot be done with this transaction.";
  await show();
}

async function showFaults() {
  const answers = await callAll("GET", "faults");
  const items = answers.flatMap(({ title, faults }) =>
    faults.map((fault) => newElement("li", `${title}: ${describe(fault)}`)),
  );
  element("#faults").replaceChildren(...items);
}

function describe({ call: name = "any call", kind, times, chance }) {
  const often = chance === undefined ? "" : `, ${chance * 100}% of calls`;
  return `${kind} on ${name}${often}${times === undefined ? "" : `, ${times} more`}`;
}

async function show() {
  try {
    await Promise.all([showCharges(), showFaults()]);
  } catch {
    element("#totals").textContent = "The sandboxes do not answer.";
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const { processor, call: name, kind } = form.elements;
  const order = { call: name.value, kind: kind.value };
  void call("POST", `${processor.value}/faults`, order).then(show);
});
elsewhere.addEventListener("submit", (event) => {
  event.preventDefault();
  void actElsewhere(event.submitter.value);
});
element("#stop").addEventListener("click", () => void callAll("DELETE", "faults").then(show));
element("#settle").addEventListener("click", () => void callAll("POST", "settle", {}).then(show));

await show();
setInterval(() => void show(), 3_000);
