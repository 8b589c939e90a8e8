/* Stands in for Converge's Checkout.js: charges the card from the browser, in a session opened by a server. */
(() => {
  const saleAddress = new URL("sale", document.currentScript.src).href;

  async function outcomeOf(paymentFields) {
    try {
      const body = new URLSearchParams(paymentFields);
      const response = await fetch(saleAddress, { method: "POST", body });
      if (!response.ok) throw new Error(String(response.status));
      return await response.json();
    } catch {
      return { callback: "onError", value: "Communication error. Please try again later." };
    }
  }

  window.ConvergeEmbeddedPayment = {
    /** Calls exactly one of the callbacks, later; none if the answer is lost. */
    pay(paymentFields, callbacks) {
      void outcomeOf(paymentFields).then(({ callback, value }) => callbacks[callback]?.(value));
    },
    // Only for terminals with currency conversion or 3-D Secure, which the sandbox does not have.
    dccDecision() {},
    threeDSecureReturn() {},
    initApplePay() {},
  };
})();
