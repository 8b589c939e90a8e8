/* Stands in for AffiniPay's hosted fields: number and code in frames, and one token for both. */
(() => {
  const frameAddress = new URL("../field", document.currentScript.src).href;
  const home = new URL(frameAddress).origin;
  const known = ["credit_card_number", "cvv"];
  const generalTexts = {
    1: "initialization exception",
    2: "configuration exception",
    3: "network exception",
    4: "payment exception",
  };

  class HostedFieldsException extends Error {
    constructor(code, messages) {
      super(messages[0]);
      this.code = code;
      this.messages = messages;
    }
  }

  function parseException(exception) {
    const { code = 1, messages = [String(exception?.message ?? exception)] } = exception ?? {};
    return { code, message: generalTexts[code], messages };
  }

  function initializeFields(config, callback) {
    if (!/^m_[\w-]{22}$/.test(config.publicKey ?? "")) {
      throw new HostedFieldsException(1, ["the public key is missing or invalid"]);
    }
    const group = crypto.randomUUID();
    const fields = config.fields.map((field) => frameFor(config, field, group));
    const number = fields.find(({ type }) => type === "credit_card_number");
    const tickets = new Map();
    let target = null;

    function state() {
      const states = fields.map((field) => field.state);
      return { isReady: states.every(({ error }) => error === ""), target, fields: states };
    }

    function handleMessage({ data, origin, source }) {
      const field = fields.find(({ frame }) => frame.contentWindow === source);
      if (origin !== home || !field || data.field !== field.id) return;
      if (data.event === "ready") style(config, field);
      if (data.event === "state") {
        field.state = data.state;
        target = field.selector;
        callback?.(state());
      }
      if (data.event === "tokenised") tickets.get(data.ticket)?.(data);
    }

    window.addEventListener("message", handleMessage);

    const send = (selector, order) => {
      const field = fields.find((each) => each.selector === selector);
      if (!field) throw new HostedFieldsException(2, [`no field has the selector ${selector}`]);
      field.frame.contentWindow.postMessage(order, home);
    };

    async function getPaymentToken(formData) {
      if (!number || number.state.error !== "") {
        throw missingToken(
          "CC token is invalid, credit card field must be defined and have a valid token",
        );
      }
      const code = fields.find(({ type }) => type === "cvv");
      if (code && code.state.error !== "") {
        throw missingToken(
          "CVV token is invalid, cvv field must be defined and have a valid token",
        );
      }
      const ticket = crypto.randomUUID();
      const request = { ticket, publicKey: config.publicKey, formData, hasCode: Boolean(code) };
      const answer = await new Promise((resolve) => {
        tickets.set(ticket, resolve);
        send(number.selector, { order: "tokenise", ...request });
      });
      tickets.delete(ticket);
      if (answer.isUnreachable)
        throw new HostedFieldsException(3, ["the gateway could not be reached"]);
      if (answer.refused) throw new HostedFieldsException(4, answer.refused);
      return answer.token;
    }

    return {
      getPaymentToken,
      clearIframeInput: (selector) => send(selector, { order: "clear" }),
      focusIframeInput: (selector) => send(selector, { order: "focus" }),
    };
  }

  const missingToken = (text) => new HostedFieldsException(2, [text]);

  /** Puts the frame into the element that the selector finds. The frame sets no height. */
  function frameFor(config, { selector, input }, group) {
    const container = document.querySelector(selector);
    if (!container) throw new HostedFieldsException(2, [`nothing on the page is ${selector}`]);
    if (!known.includes(input.type)) {
      throw new HostedFieldsException(2, [`${input.type} is no type of field here`]);
    }
    const id = crypto.randomUUID();
    const frame = document.createElement("iframe");
    frame.title = input.type === "cvv" ? "Security code" : "Credit card number";
    const settings = new URLSearchParams({ kind: input.type, id, group, shop: location.origin });
    frame.src = `${frameAddress}#${settings}`;
    container.replaceChildren(frame);
    const state = { type: input.type, focus: false, error: "Input field is empty" };
    return { id, selector, type: input.type, input, frame, state };
  }

  function style(config, { frame, input }) {
    const css = { ...config.input?.css, ...input.css };
    const order = { order: "style", css, placeholder: input.placeholder };
    frame.contentWindow.postMessage(order, home);
  }

  window.AffiniPay = { HostedFields: { initializeFields, parseException } };
})();
