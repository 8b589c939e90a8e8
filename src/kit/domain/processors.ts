/** The card processors, by the names of the published interface, with the names that people use. Source: spec §9. */
export const processorLabels = {
  paypal_payflow_pro: "PayPal Payflow Pro",
  stripe: "Stripe",
  anet: "Authorize.Net",
  lawpay: "LawPay",
  elavon: "Elavon Converge",
} as const;
