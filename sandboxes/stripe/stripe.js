/* Stripe.js, second half: the calls that use the fields, and the global. Stands in for js.stripe.com/endive/stripe.js. */
import { Elements, home, IntegrationError, owners } from "./elements.js";

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
    throw new IntegrationError("Pass the cardNumber Element: the others are found by themselves.");
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
