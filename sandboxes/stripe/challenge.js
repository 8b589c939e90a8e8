/* The issuer's 3-D Secure page, in a frame over the shop. */
(() => {
  const params = new URLSearchParams(location.search);
  const clientSecret = params.get("client_secret");

  async function answer(outcome) {
    const body = new URLSearchParams({ client_secret: clientSecret, outcome });
    await fetch("/stripe/challenge", { method: "POST", body });
    parent.postMessage({ challenge: clientSecret }, params.get("shop"));
  }

  for (const outcome of ["complete", "fail"]) {
    document.querySelector(`#${outcome}`).addEventListener("click", () => void answer(outcome));
  }
})();
