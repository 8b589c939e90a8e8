/* Stands in for https://js.stripe.com/endive/stripe.js: split card fields in frames, and the calls that use them. */
(() => {
  const home = new URL(document.currentScript.src).origin;
  let lastId = 0;

  class IntegrationError extends Error {
    name = "IntegrationError";
  }

  const kinds = ["cardNumber", "cardExpiry", "cardCvc"];
  const titles = {
    cardNumber: "Secure card number input frame",
    cardExpiry: "Secure expiration date input frame",
    cardCvc: "Secure CVC input frame",
  };

  /** Calls back those who listen to an event's name. */
  class Emitter {
    #listeners = [];

    on(name, listener) {
      this.#listeners.push({ name, listener, isOnce: false });
      return this;
    }

    once(name, listener) {
      this.#listeners.push({ name, listener, isOnce: true });
      return this;
    }

    off(name, listener) {
      this.#listeners = this.#listeners.filter(
        (each) => each.name !== name || (listener && each.listener !== listener),
      );
      return this;
    }

    emit(name, detail) {
      const heard = this.#listeners.filter((each) => each.name === name);
      this.#listeners = this.#listeners.filter((each) => !heard.includes(each) || !each.isOnce);
      for (const { listener } of heard) listener(detail);
    }
  }

  /** One field. Everything typed stays in its frame; only its state comes out. */
  class Field extends Emitter {
    #id = `f${(lastId += 1)}`;
    #group;
    #options;
    #container = null;
    #frame = null;
    #isReady = false;
    #ready = Promise.withResolvers();
    #waiting = [];
    #submissions = new Map();
    isDestroyed = false;

    constructor(kind, group, options) {
      super();
      this.kind = kind;
      this.#group = group;
      this.#options = options;
      window.addEventListener("message", this.#hear);
    }

    get whenReady() {
      return this.#ready.promise;
    }

    #hear = ({ data, origin, source }) => {
      if (origin !== home || source !== this.#frame?.contentWindow || data.field !== this.#id)
        return;
      if (data.event === "ready") this.#begin();
      else if (data.event === "submitted") this.#submissions.get(data.ticket)?.(data.result);
      else this.#changed(data);
    };

    #begin() {
      this.#isReady = true;
      this.#ready.resolve();
      this.#order({ order: "update", options: this.#options });
      for (const order of this.#waiting.splice(0)) this.#order(order);
      this.emit("ready", { elementType: this.kind });
    }

    #changed({ event, detail }) {
      if (event === "change") {
        this.#mark("complete", detail.complete);
        this.#mark("empty", detail.empty);
        this.#mark("invalid", Boolean(detail.error));
      }
      if (event === "focus" || event === "blur") this.#mark("focus", event === "focus");
      this.emit(event, { elementType: this.kind, ...detail });
    }

    #mark(state, isOn) {
      const own = this.#options.classes?.[state] ?? `StripeElement--${state}`;
      this.#container?.classList.toggle(own, isOn);
    }

    #order(order) {
      if (this.#isReady) this.#frame.contentWindow.postMessage(order, home);
      else this.#waiting.push(order);
    }

    mount(target) {
      if (this.isDestroyed) {
        throw new IntegrationError(
          "This Element has already been destroyed. Please create a new one.",
        );
      }
      const container = typeof target === "string" ? document.querySelector(target) : target;
      if (!container) {
        throw new IntegrationError(
          `The selector you specified (${target}) applies to no DOM elements that are currently on the page.`,
        );
      }
      if (this.#container === container) return this;
      this.unmount();
      this.#container = container;
      container.replaceChildren(this.#framed());
      container.classList.add(this.#options.classes?.base ?? "StripeElement");
      this.#mark("empty", true);
      for (const label of document.querySelectorAll("label")) {
        if (container.id !== "" && label.htmlFor === container.id) {
          label.addEventListener("click", () => this.focus());
        }
      }
      return this;
    }

    #framed() {
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
      frame.src = `${home}/stripe/field#${settings}`;
      frame.addEventListener("error", () => this.emit("loaderror", { elementType: this.kind }));
      Object.assign(frame.style, {
        display: "block",
        width: "100%",
        height: "1.2em",
        border: "0",
        margin: "0",
        padding: "0",
        colorScheme: "normal", // otherwise a dark page gives the frame a white ground
      });
      this.#frame = frame;
      return frame;
    }

    unmount() {
      if (!this.#container) return this;
      this.#frame?.remove();
      const base = this.#options.classes?.base ?? "StripeElement";
      this.#container.classList.remove(base);
      for (const state of ["complete", "empty", "focus", "invalid"]) this.#mark(state, false);
      this.#frame = null;
      this.#container = null;
      this.#isReady = false;
      return this;
    }

    destroy() {
      this.unmount();
      window.removeEventListener("message", this.#hear);
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

    blur() {
      this.#order({ order: "blur" });
      return this;
    }

    clear() {
      this.#order({ order: "clear" });
      return this;
    }

    /** Have the number's frame send the card; misuse throws, everything else resolves. */
    submit(path, form, prefix, siblings) {
      if (!this.#container) {
        throw new IntegrationError(
          "We could not retrieve data from the specified Element. Please make sure the Element you are attempting to use is still mounted.",
        );
      }
      const ticket = crypto.randomUUID();
      return new Promise((resolve) => {
        this.#submissions.set(ticket, (result) => {
          this.#submissions.delete(ticket);
          resolve(result);
        });
        this.#order({ order: "submit", ticket, path, form: [...form], prefix, kinds: siblings });
      });
    }
  }

  /** The fields of one form; those of two are never combined. */
  class Elements extends Emitter {
    #group = crypto.randomUUID();
    #fields = new Map();

    create(kind, options = {}) {
      if (!kinds.includes(kind)) {
        throw new IntegrationError(
          `A valid Element name must be provided. Valid Elements here are: ${kinds.join(", ")}; you passed: ${kind}.`,
        );
      }
      const standing = this.#fields.get(kind);
      if (standing && !standing.isDestroyed) {
        throw new IntegrationError(
          `Can only create one Element of type ${kind} through an Elements instance.`,
        );
      }
      const field = new Field(kind, this.#group, options);
      owners.set(field, this);
      this.#fields.set(kind, field);
      return field;
    }

    getElement(wanted) {
      const kind = typeof wanted === "string" ? wanted : wanted["__elementType"];
      const field = this.#fields.get(kind);
      return field && !field.isDestroyed ? field : null;
    }

    /** The kinds on the page besides the number, once their frames can be asked. */
    async siblings() {
      const others = kinds.filter((kind) => kind !== "cardNumber" && this.getElement(kind));
      await Promise.all(others.map((kind) => this.getElement(kind).whenReady));
      return others;
    }

    async update() {
      this.emit("update-end", {});
    }

    async submit() {
      return {};
    }

    async fetchUpdates() {
      return {};
    }
  }

  const owners = new WeakMap();

  /** `{billing_details: {name}}` → `billing_details[name]`. */
  function put(form, name, value) {
    if (value === undefined || value === null) return form;
    if (typeof value === "object") {
      for (const [key, inner] of Object.entries(value)) put(form, `${name}[${key}]`, inner);
    } else form.set(name, String(value));
    return form;
  }

  /** The API from the page itself, for what holds no card. */
  async function call(method, path, form) {
    try {
      const response =
        method === "GET"
          ? await fetch(`${home}${path}?${form}`)
          : await fetch(`${home}${path}`, { method, body: form });
      const answer = await response.json();
      return answer.error ? { error: answer.error } : { answer };
    } catch {
      const message =
        "We are experiencing issues connecting to our payments provider. You have not been charged. Please check your internet connection and try again.";
      return { error: { type: "api_connection_error", message } };
    }
  }

  const isField = (value) => owners.has(value);

  async function send(path, form, prefix, card) {
    if (!isField(card)) return await call("POST", path, put(form, prefix, card));
    if (card.kind !== "cardNumber") {
      throw new IntegrationError(
        "Pass the cardNumber Element: the others are found by themselves.",
      );
    }
    return await card.submit(path, form, prefix, await owners.get(card).siblings());
  }

  const named = (name, { answer, error }) => (error ? { error } : { [name]: answer });

  /** Show the challenge over the page; resolves when the payer has answered it. */
  function challenged(clientSecret) {
    const frame = document.createElement("iframe");
    const params = new URLSearchParams({ client_secret: clientSecret, shop: location.origin });
    frame.name = "__privateStripeFrameChallenge";
    frame.title = "3D Secure authentication";
    frame.src = `${home}/stripe/challenge?${params}`;
    Object.assign(frame.style, {
      position: "fixed",
      inset: "0",
      margin: "auto",
      width: "min(400px, 100%)",
      height: "min(300px, 100%)",
      border: "1px solid #888",
      background: "#fff",
      zIndex: "2147483647",
    });
    document.body.append(frame);
    return new Promise((resolve) => {
      const listen = ({ data, origin }) => {
        if (origin !== home || data.challenge !== clientSecret) return;
        window.removeEventListener("message", listen);
        frame.remove();
        resolve();
      };
      window.addEventListener("message", listen);
    });
  }

  function Stripe(key, options = {}) {
    if (typeof key !== "string" || !key.startsWith("pk_")) {
      throw new IntegrationError(
        String(key).startsWith("sk_")
          ? "You should not use your secret key with Stripe.js."
          : "Please call Stripe() with your publishable key.",
      );
    }
    const form = () => new URLSearchParams({ key });
    const idOf = (clientSecret) => {
      if (!/^pi_\w+_secret_\w+$/.test(clientSecret)) {
        throw new IntegrationError("Invalid value for clientSecret.");
      }
      return clientSecret.split("_secret_")[0];
    };

    async function retrievePaymentIntent(clientSecret) {
      const query = put(form(), "client_secret", clientSecret);
      const path = `/v1/payment_intents/${idOf(clientSecret)}`;
      return named("paymentIntent", await call("GET", path, query));
    }

    async function finishAction(clientSecret) {
      await challenged(clientSecret);
      const result = await retrievePaymentIntent(clientSecret);
      if (result.error || result.paymentIntent.status !== "requires_payment_method") return result;
      const lastError = result.paymentIntent.last_payment_error;
      const type =
        lastError.code === "payment_intent_authentication_failure"
          ? "invalid_request_error"
          : lastError.type;
      return { error: { ...lastError, type, payment_intent: result.paymentIntent } };
    }

    return {
      elements(settings = {}) {
        if (settings.paymentMethodTypes) {
          throw new IntegrationError(
            "paymentMethodTypes is no longer supported. Use allowedPaymentMethodTypes instead.",
          );
        }
        return new Elements();
      },

      async createToken(card, more = {}) {
        const body = put(form(), "card", more);
        return named("token", await send("/v1/tokens", body, "card", card));
      },

      async createPaymentMethod({ type, card, billing_details: billing, metadata }) {
        const body = put(
          put(put(form(), "type", type), "billing_details", billing),
          "metadata",
          metadata,
        );
        return named("paymentMethod", await send("/v1/payment_methods", body, "card", card));
      },

      async confirmCardPayment(clientSecret, wanted = {}, { handleActions = true } = {}) {
        const path = `/v1/payment_intents/${idOf(clientSecret)}/confirm`;
        const method = wanted.payment_method;
        const body = put(put(form(), "client_secret", clientSecret), "use_stripe_sdk", true);
        for (const name of ["return_url", "receipt_email", "payment_method_options"]) {
          put(body, name, wanted[name]);
        }
        let sent;
        if (typeof method === "object") {
          const prefix = "payment_method_data";
          put(
            put(body, `${prefix}[type]`, "card"),
            `${prefix}[billing_details]`,
            method.billing_details,
          );
          sent = await send(path, body, `${prefix}[card]`, method.card);
        } else sent = await call("POST", path, put(body, "payment_method", method));
        const result = named("paymentIntent", sent);
        const needsAction = result.paymentIntent?.status === "requires_action";
        return needsAction && handleActions ? await finishAction(clientSecret) : result;
      },

      async handleNextAction({ clientSecret }) {
        const result = await retrievePaymentIntent(clientSecret);
        if (result.error) return result;
        if (result.paymentIntent.status === "requires_action")
          return await finishAction(clientSecret);
        const message =
          "handleNextAction: the PaymentIntent supplied is not in the requires_action state.";
        return {
          error: {
            type: "invalid_request_error",
            code: "payment_intent_unexpected_state",
            message,
          },
        };
      },

      async handleCardAction(clientSecret) {
        return await this.handleNextAction({ clientSecret });
      },

      retrievePaymentIntent,
      registerAppInfo() {},
      _registerWrapper() {},
      _apiKey: key,
      _options: options,
    };
  }

  Stripe.version = "endive";
  window.Stripe = Stripe;
})();
