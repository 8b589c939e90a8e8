/* Stands in for js.stripe.com/endive/stripe.js, with the parts that the product uses. */
import { callApi } from "./api.js";
import { Elements, IntegrationError, isField, origin } from "./elements.js";

const resultOf = (name, { answer, error }) => (error ? { error } : { [name]: answer });

/** Show the challenge over the page; resolves when the payer has answered it. */
function showChallenge(clientSecret) {
  const frame = document.createElement("iframe");
  const params = new URLSearchParams({ client_secret: clientSecret, shop: location.origin });
  frame.name = "__privateStripeFrameChallenge";
  frame.title = "3D Secure authentication";
  frame.src = `${origin}/stripe/challenge?${params}`;
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
    const listen = ({ data, origin: sender }) => {
      if (sender !== origin || data.challenge !== clientSecret) return;
      window.removeEventListener("message", listen);
      frame.remove();
      resolve();
    };
    window.addEventListener("message", listen);
  });
}

/** Present because Stripe's React wrapper requires them. */
function unsupported() {
  throw new IntegrationError(
    "This sandbox only supports createPaymentMethod and handleNextAction.",
  );
}

function Stripe(key) {
  if (typeof key !== "string" || !key.startsWith("pk_")) {
    throw new IntegrationError(
      String(key).startsWith("sk_")
        ? "You should not use your secret key with Stripe.js."
        : "Please call Stripe() with your publishable key.",
    );
  }

  async function retrievePaymentIntent(clientSecret) {
    if (!/^pi_\w+_secret_\w+$/.test(clientSecret)) {
      throw new IntegrationError("Invalid value for clientSecret.");
    }
    const address = `${origin}/v1/payment_intents/${clientSecret.split("_secret_")[0]}`;
    const query = new URLSearchParams({ key, client_secret: clientSecret });
    return resultOf("paymentIntent", await callApi("GET", address, query));
  }

  return {
    elements: () => new Elements(),

    async createPaymentMethod({ type, card }) {
      if (!isField(card) || card.kind !== "cardNumber") {
        throw new IntegrationError(
          "Pass the cardNumber Element: the others are found automatically.",
        );
      }
      const form = new URLSearchParams({ key, type });
      return resultOf("paymentMethod", await card.submit("/v1/payment_methods", form));
    },

    async handleNextAction({ clientSecret }) {
      const before = await retrievePaymentIntent(clientSecret);
      if (before.error) return before;
      if (before.paymentIntent.status !== "requires_action") {
        const message =
          "handleNextAction: the PaymentIntent supplied is not in the requires_action state.";
        const code = "payment_intent_unexpected_state";
        return { error: { type: "invalid_request_error", code, message } };
      }
      await showChallenge(clientSecret);
      const after = await retrievePaymentIntent(clientSecret);
      if (after.error || after.paymentIntent.status !== "requires_payment_method") return after;
      const problem = after.paymentIntent.last_payment_error;
      const isUnproven = problem.code === "payment_intent_authentication_failure";
      const type = isUnproven ? "invalid_request_error" : problem.type;
      return { error: { ...problem, type, payment_intent: after.paymentIntent } };
    },

    createToken: unsupported,
    confirmCardPayment: unsupported,
    registerAppInfo() {},
    _registerWrapper() {},
  };
}

Stripe.version = "endive";
window.Stripe = Stripe;
