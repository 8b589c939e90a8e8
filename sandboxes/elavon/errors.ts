import type { Fields } from "./xml.ts";

/** Converge's own errors. Merchants can change the texts, so integrations should use the codes. */
const errors = {
  "4000": ["VID Not Supplied", "The account ID was not supplied in the authorization request."],
  "4010": ["Invalid Transaction Type", "The transaction type is invalid or was not supplied."],
  "4017": [
    "Request Timed Out",
    "The request has timed out. Please check the transaction before trying again.",
  ],
  "4025": [
    "Invalid Credentials",
    "The credentials supplied in the authorization request are invalid.",
  ],
  "5000": [
    "Credit Card Number Invalid",
    "The credit card number supplied in the authorization request appears to be invalid.",
  ],
  "5001": [
    "Exp Date Invalid",
    "The credit card expiration date supplied in the authorization request appears to be invalid.",
  ],
  "5002": [
    "Amount Invalid",
    "The amount supplied in the authorization request appears to be invalid.",
  ],
  "5021": [
    "CVV2 Invalid",
    "The value for the CVV2 (ssl_cvv2cvc2) field should be 3 or 4 digits in length.",
  ],
  "5040": ["Invalid Transaction ID", "The transaction ID is invalid for this transaction type."],
  "5091": [
    "Refund Amount Exceeded",
    "The total refund amount exceeds the original transaction amount.",
  ],
  "5095": [
    "Invalid Search Criteria",
    "The search criteria supplied cannot be combined, or there are none.",
  ],
  "5099": [
    "Invalid Search Dates",
    "The search end date must be after the start date, and within 31 days.",
  ],
  "6038": [
    "System Temporarily Unavailable",
    "The system is temporarily unavailable. Please try again later.",
  ],
  "6042": ["Invalid Request Format", "The XML request is not well-formed or is incomplete."],
} satisfies Record<string, [name: string, message: string]>;

export type ErrorCode = keyof typeof errors;

export function errorReply(errorCode: ErrorCode): Fields {
  const [errorName, errorMessage] = errors[errorCode];
  return { errorCode, errorName, errorMessage };
}
