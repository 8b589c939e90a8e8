/*
 * The merchants known to the sandboxes. Made up and worth nothing, the same on every machine: anyone who
 * can reach a sandbox may see them, and its page shows them.
 */

export const demoAccounts = {
  anet: {
    apiLoginId: "harborLRS7",
    transactionKey: "4hRb9Kq2LrsDues1",
    clientKey: "9harborClientKey5zTqW3xVn8mKd2pLr7sYc4bGf6hJt1uQe0aRi8oZx5vNw3",
    signatureKey: "5D".repeat(64),
  },
  stripe: {
    publishableKey: "pk_test_harbor",
    secretKey: "sk_test_harbor",
    webhookSecret: "whsec_harbor",
  },
  elavon: {
    merchantId: "712345",
    userId: "apiuser712345",
    pin: "HARBOR0PIN1DUES2".repeat(4),
  },
  lawpay: {
    publicKey: "m_harborPublicKey0000001",
    secretKey: "harborTestSecret000001",
    /** For `livePayments`: no TEST account accepts it. */
    liveSecretKey: "harborLiveSecret000001",
    accountId: "harborOperating0000001",
    /** A trust account, which must not receive dues. */
    trustAccountId: "harborTrustAccount0001",
  },
  paypal_payflow_pro: {
    partner: "PayPal",
    vendor: "harborlrs",
    user: "harborapi",
    password: "harborPassword1",
  },
};

/** A second merchant, so that a test can show that accounts do not see each other's charges. */
export const otherAccounts: typeof demoAccounts = {
  anet: {
    apiLoginId: "lakesideLRS",
    transactionKey: "7lKs3Wm5LrsDues2",
    clientKey: "2lakesideClientKey8kRn4vBt6yHm1zXc9qWe3sDf5gJp7uLi0oAa2tYb6nMv",
    signatureKey: "7E".repeat(64),
  },
  stripe: {
    publishableKey: "pk_test_lakeside",
    secretKey: "sk_test_lakeside",
    webhookSecret: "whsec_lakeside",
  },
  elavon: { merchantId: "798765", userId: "apiuser798765", pin: "LAKESIDE1PIN2LRS".repeat(4) },
  lawpay: {
    publicKey: "m_lakesidePublicKey00001",
    secretKey: "lakesideTestSecret0001",
    liveSecretKey: "lakesideLiveSecret0001",
    accountId: "lakesideOperating00001",
    trustAccountId: "lakesideTrustAccount01",
  },
  paypal_payflow_pro: {
    partner: "PayPal",
    vendor: "lakesidelrs",
    user: "lakesideapi",
    password: "lakesidePassword2",
  },
};
