/** Call Stripe's API: `{answer}`, or `{error}` in Stripe.js's words. */
export async function callApi(method, address, form) {
  try {
    const response =
      method === "GET"
        ? await fetch(`${address}?${form}`)
        : await fetch(address, { method, body: form });
    const answer = await response.json();
    return answer.error ? { error: answer.error } : { answer };
  } catch {
    const message =
      "We are experiencing issues connecting to our payments provider. You have not been charged. Please check your internet connection and try again.";
    return { error: { type: "api_connection_error", message } };
  }
}
