/* The split card fields of Stripe.js, in frames of this origin. */

/** The script's origin; the frames have the same one. */
export const origin = new URL(document.currentScript.src).origin;
let lastId = 0;

/** Thrown for misuse; errors that the payer can fix are returned as `{error}`. */
export class IntegrationError extends Error {
  name = "IntegrationError";
}

const kinds = ["cardNumber", "cardExpiry", "cardCvc"];
const titles = {
  cardNumber: "Secure card number input frame",
  cardExpiry: "Secure expiration date input frame",
  cardCvc: "Secure CVC input frame",
};

/** One field. Everything typed stays in its frame; only its state comes out. */
class Field {
  #id = `f${(lastId += 1)}`;
  #group;
  #options;
  #listeners = [];
  #container = null;
  #frame = null;
  #isReady = false;
  #ready = Promise.withResolvers();
  #waiting = [];
  #submissions = new Map();
  isDestroyed = false;

  constructor(kind, elements, group, options) {
    this.kind = kind;
    this.elements = elements;
    this.#group = group;
    this.#options = options;
    window.addEventListener("message", this.#handleMessage);
  }

  get whenReady() {
    return this.#ready.promise;
  }

  on(name, listener) {
    this.#listeners.push({ name, listener });
    return this;
  }

  off(name, listener) {
    this.#listeners = this.#listeners.filter(
      (each) => each.name !== name || (listener && each.listener !== listener),
    );
    return this;
  }

  #emit(name, detail) {
    for (const each of this.#listeners.filter((one) => one.name === name)) each.listener(detail);
  }

  #handleMessage = ({ data, origin: sender, source }) => {
    const isOwn = source === this.#frame?.contentWindow && data.field === this.#id;
    if (sender !== origin || !isOwn) return;
    if (data.event === "ready") this.#begin();
    else if (data.event === "submitted") this.#submissions.get(data.ticket)?.(data.result);
    else this.#emit(data.event, { elementType: this.kind, ...data.detail });
  };

  #begin() {
    this.#isReady = true;
    this.#ready.resolve();
    this.#order({ order: "update", options: this.#options });
    for (const order of this.#waiting.splice(0)) this.#order(order);
    this.#emit("ready", { elementType: this.kind });
  }

  #order(order) {
    if (this.#isReady) this.#frame.contentWindow.postMessage(order, origin);
    else this.#waiting.push(order);
  }

  mount(container) {
    if (this.isDestroyed) {
      throw new IntegrationError(
        "This Element has already been destroyed. Please create a new one.",
      );
    }
    if (this.#container === container) return this;
    this.unmount();
    this.#container = container;
    container.replaceChildren(this.#newFrame());
    container.classList.add("StripeElement");
    for (const label of document.querySelectorAll("label")) {
      if (container.id !== "" && label.htmlFor === container.id) {
        label.addEventListener("click", () => this.focus());
      }
    }
    return this;
  }

  #newFrame() {
    const frame = document.createElement("iframe");
    const settings = new URLSearchParams({
      kind: this.kind,
      id: this.#id,
      group: this.#group,
      shop: location.origin,
    });
    frame.name = `__privateStripeFrame${this.#id}`;
    frame.title = titles[this.kind];
    frame.allow = "payment *";
    frame.src = `${origin}/stripe/field#${settings}`;
    Object.assign(frame.style, {
      display: "block",
      width: "100%",
      height: "1.2em",
      border: "0",
      margin: "0",
      padding: "0",
      colorScheme: "normal", // otherwise a dark page gives the frame a white background
    });
    this.#frame = frame;
    return frame;
  }

  unmount() {
    if (!this.#container) return this;
    this.#frame?.remove();
    this.#container.classList.remove("StripeElement");
    this.#frame = null;
    this.#container = null;
    this.#isReady = false;
    return this;
  }

  destroy() {
    this.unmount();
    window.removeEventListener("message", this.#handleMessage);
    this.isDestroyed = true;
    return this;
  }

  update(options) {
    this.#options = { ...this.#options, ...options };
    if (this.#isReady) this.#order({ order: "update", options: this.#options });
    return this;
  }

  focus() {
    this.#order({ order: "focus" });
    return this;
  }

  clear() {
    this.#order({ order: "clear" });
    return this;
  }

  /** Make the number's frame send the card. Misuse throws; everything else resolves. */
  async submit(path, form) {
    if (!this.#container) {
      throw new IntegrationError(
        "We could not retrieve data from the specified Element. Please make sure the Element you are attempting to use is still mounted.",
      );
    }
    const siblings = await this.elements.siblings();
    const ticket = crypto.randomUUID();
    return await new Promise((resolve) => {
      this.#submissions.set(ticket, (result) => {
        this.#submissions.delete(ticket);
        resolve(result);
      });
      this.#order({ order: "submit", ticket, path, form: [...form], kinds: siblings });
    });
  }
}

export const isField = (value) => value instanceof Field;

/** The fields of one form; two forms are never mixed. */
export class Elements {
  #group = crypto.randomUUID();
  #fields = new Map();

  create(kind, options = {}) {
    if (!kinds.includes(kind)) {
      throw new IntegrationError(
        `A valid Element name must be provided. Valid Elements here are: ${kinds.join(", ")}; you passed: ${kind}.`,
      );
    }
    if (this.getElement(kind)) {
      throw new IntegrationError(
        `Can only create one Element of type ${kind} through an Elements instance.`,
      );
    }
    const field = new Field(kind, this, this.#group, options);
    this.#fields.set(kind, field);
    return field;
  }

  getElement(wanted) {
    const kind = typeof wanted === "string" ? wanted : wanted["__elementType"];
    const field = this.#fields.get(kind);
    return field && !field.isDestroyed ? field : null;
  }

  /** The other kinds on the page, once their frames are ready. */
  async siblings() {
    const others = kinds.filter((kind) => kind !== "cardNumber" && this.getElement(kind));
    await Promise.all(others.map((kind) => this.getElement(kind).whenReady));
    return others;
  }

  async update() {}
}
