/* Stands in for AcceptCore.js: checks its input, and turns a card into a nonce. */
(() => {
  const texts = {
    I_WC_01: "Successful.",
    E_WC_01: "Please include Accept.js library from CDN.",
    E_WC_02: "A HTTPS connection is required.",
    E_WC_04: "Please provide mandatory field to library.",
    E_WC_05: "Please provide valid credit card number.",
    E_WC_06: "Please provide valid expiration month.",
    E_WC_07: "Please provide valid expiration year.",
    E_WC_08: "Expiration date must be in the future.",
    E_WC_10: "Please provide valid apiloginid.",
    E_WC_14: "Accept.js encryption failed.",
    E_WC_15: "Please provide valid CVV.",
    E_WC_16: "Please provide valid Zip code.",
    E_WC_17: "Please provide valid card holder name.",
    E_WC_18: "Client key is required.",
    E_WC_19: "An error occurred during processing. Please try again.",
    E_WC_20: "Please provide valid credit card number.",
    E_WC_21: "User authentication failed due to invalid authentication values.",
    E_WC_23: "Please provide either card information or bank information.",
  };

  /** The browser's names for the server's codes. */
  const renamed = { E00001: "E_WC_19", E00003: "E_WC_20", E00007: "E_WC_21" };

  function dispatchData(secureData, handler) {
    const answer = (response) =>
      (typeof handler === "string" ? window[handler] : handler)(response);
    const { codes, card } = problemsOf(secureData);
    if (codes.length > 0) answer(refused(codes));
    else tokenise(secureData.authData, card, answer);
  }

  function problemsOf({ authData, cardData, bankData }) {
    if (!isLibraryOnPage()) return { codes: ["E_WC_01"] };
    if (!isSecure()) return { codes: ["E_WC_02"] };
    if (!authData) return { codes: ["E_WC_04"] };
    if (!cardData === !bankData) return { codes: ["E_WC_23"] };
    if (!cardData) return { codes: ["E_WC_19"] }; // bank accounts: this sandbox takes only cards
    const card = {
      number: (cardData.cardNumber ?? "").replace(/[\s.,:-]/g, ""),
      month: (cardData.month ?? "").padStart(2, "0"),
      year: cardData.year ?? "",
      code: cardData.cardCode,
      zip: cardData.zip,
      name: cardData.fullName,
    };
    return { codes: [...cardProblems(card), ...accountProblems(authData)], card };
  }

  function cardProblems({ number, month, year, code, zip, name }) {
    const codes = [];
    if (!/^\d{13,16}$/.test(number) || !passesLuhn(number)) codes.push("E_WC_05");
    const isMonth = /^(0[1-9]|1[0-2])$/.test(month);
    const isYear = /^(\d{2}|\d{4})$/.test(year);
    if (!isMonth) codes.push("E_WC_06");
    if (!isYear) codes.push("E_WC_07");
    if (isMonth && isYear && isPast(month, year)) codes.push("E_WC_08");
    if (code !== undefined && !/^\d{3,4}$/.test(code)) codes.push("E_WC_15");
    if (zip !== undefined && !(zip.length >= 1 && zip.length <= 20)) codes.push("E_WC_16");
    if (name !== undefined && !(name.length >= 1 && name.length <= 64)) codes.push("E_WC_17");
    return codes;
  }

  function accountProblems({ apiLoginID, clientKey }) {
    const codes = [];
    if (!apiLoginID || apiLoginID.length >= 255) codes.push("E_WC_10");
    if (clientKey.length === 0) codes.push("E_WC_18"); // null throws, as in the real script
    return codes;
  }

  /** The real script looks for its exact address: it refuses behind a proxy or with a query string. */
  function isLibraryOnPage() {
    const address = `${window.cdnPath}Accept.js`;
    return [...document.scripts].some((script) => script.src === address);
  }

  /** The real script requires HTTPS even on localhost; only that is relaxed here. */
  function isSecure() {
    return window.isSecureContext;
  }

  function isPast(month, year) {
    const full = year.length === 2 ? 2000 + Number(year) : Number(year);
    return new Date(full, Number(month), 1) <= new Date();
  }

  function passesLuhn(number) {
    let sum = 0;
    for (const [index, digit] of [...number].toReversed().entries()) {
      const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
      sum += value > 9 ? value - 9 : value;
    }
    return sum % 10 === 0;
  }

  function tokenise({ apiLoginID, clientKey }, card, answer) {
    const token = {
      cardNumber: card.number,
      expirationDate: card.month + card.year,
      ...(card.code !== undefined && { cardCode: card.code }),
      ...(card.zip !== undefined && { zip: card.zip }),
      ...(card.name !== undefined && { fullName: card.name }),
    };
    const request = new XMLHttpRequest();
    request.open("POST", window.encryptEndPoint);
    request.setRequestHeader("Content-Type", "application/json; charset=utf-8");
    // No onerror, as in the real script: nobody is notified when the network fails.
    request.addEventListener("load", () => answer(responseTo(request)));
    request.send(
      JSON.stringify({
        securePaymentContainerRequest: {
          merchantAuthentication: { name: apiLoginID, clientKey },
          data: { type: "TOKEN", id: crypto.randomUUID(), token },
        },
      }),
    );
  }

  function responseTo(request) {
    try {
      const { messages, opaqueData } = JSON.parse(request.responseText.replace(/^\uFEFF/, ""));
      if (messages.resultCode === "Ok")
        return { opaqueData, messages: messagesOf("Ok", ["I_WC_01"]) };
      return refused([renamed[messages.message[0].code] ?? "E_WC_19"]);
    } catch {
      return refused(["E_WC_14"]);
    }
  }

  function refused(codes) {
    return { messages: messagesOf("Error", codes) };
  }

  function messagesOf(resultCode, codes) {
    return { resultCode, message: codes.map((code) => ({ code, text: texts[code] })) };
  }

  window.Accept.dispatchData = dispatchData;
  window.isReady = true;
  document.body.dispatchEvent(new Event("handshake"));
})();
