/*
 * Stands in for https://js.authorize.net/v1/Accept.js: a bootstrap that loads AcceptCore.js. The core must
 * be exactly the file that this bootstrap was made for; otherwise every call fails with E_WC_03.
 */
(() => {
  const coreDigest = "SHA-256 OF AcceptCore.js";
  const { src } = document.currentScript ?? {};
  const library = src ?? [...document.scripts].map((each) => each.src).find(isAccept) ?? "";
  const coreAddress = new URL("AcceptCore.js", library || location.href).href;
  // Globals that the real script also sets.
  window.cdnPath = new URL(".", library || location.href).href;
  window.encryptEndPoint = new URL("../xml/v1/request.api", library || location.href).href;
  window.isReady = false;

  window.Accept = { dispatchData: (_secureData, handler) => answer(handler, failure()) };

  function isAccept(address) {
    return address.endsWith("/v1/Accept.js");
  }

  function failure() {
    const message = [{ code: "E_WC_03", text: "Accept.js is not loaded correctly." }];
    return { messages: { resultCode: "Error", message } };
  }

  function answer(handler, response) {
    const call = typeof handler === "string" ? window[handler] : handler;
    call(response);
  }

  async function bringCore() {
    const code = await (await fetch(coreAddress, { cache: "no-store" })).arrayBuffer();
    const digest = await crypto.subtle.digest("SHA-256", code);
    const hex = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0"));
    if (hex.join("") !== coreDigest) return; // dispatchData keeps refusing
    const script = document.createElement("script");
    script.src = coreAddress;
    document.head.append(script);
  }

  void bringCore();
})();
