/* The issuer's 3-D Secure page: in a frame over the shop, or on the way to `return_url`. */
(() => {
  const params = new URLSearchParams(location.search);
  const clientSecret = params.get("client_secret");

  async function answer(outcome) {
    const body = new URLSearchParams({ client_secret: clientSecret, outcome });
    await fetch("/stripe/challenge", { method: "POST", body });
    const back = params.get("return_url");
    if (!back) {
      parent.postMessage({ challenge: clientSecret }, params.get("shop"));
      return;
    }
    const address = new URL(back);
    address.searchParams.set("payment_intent", clientSecret.split("_secret_")[0]);
    address.searchParams.set("payment_intent_client_secret", clientSecret);
    address.searchParams.set("redirect_status", outcome === "complete" ? "succeeded" : "failed");
    location.assign(address);
  }

  for (const outcome of ["complete", "fail"]) {
    document.querySelector(`#${outcome}`).addEventListener("click", () => void answer(outcome));
  }
})();
