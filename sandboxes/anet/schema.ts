import { at, keysOf, listAt, type Json } from "../json.ts";

/**
 * The order of names inside each element. Authorize.Net turns JSON into XML and checks it against a schema
 * of sequences, so an unknown element, or one in the wrong place, is refused (E00003).
 */
interface Sequence {
  order: readonly string[];
  within?: Record<string, Sequence>;
}

const sequence = (order: string, within?: Record<string, Sequence>): Sequence => ({
  order: order.split(" "),
  ...(within && { within }),
});

const merchantAuthentication = sequence(
  "name transactionKey sessionToken password impersonationAuthentication fingerPrint clientKey accessToken mobileDeviceId",
);
const address = "firstName lastName company address city state zip country";

const transactionRequest = sequence(
  "transactionType amount currencyCode payment profile solution callId terminalNumber authCode refTransId splitTenderId order lineItems tax duty shipping taxExempt poNumber customer billTo shipTo customerIP cardholderAuthentication retail employeeId transactionSettings userFields surcharge merchantDescriptor subMerchant tip processingOptions subsequentAuthInformation otherTax shipFrom authorizationIndicatorType",
  {
    payment: sequence(
      "creditCard bankAccount trackData encryptedTrackData payPal opaqueData emv dataSource",
      {
        creditCard: sequence(
          "cardNumber expirationDate cardCode isPaymentToken cryptogram tokenRequestorName tokenRequestorId tokenRequestorEci",
        ),
        opaqueData: sequence("dataDescriptor dataValue dataKey expirationTimeStamp"),
      },
    ),
    order: sequence(
      "invoiceNumber description discountAmount taxIsAfterDiscount totalTaxTypeCode purchaserVATRegistrationNumber merchantVATRegistrationNumber vatInvoiceReferenceNumber purchaserCode summaryCommodityCode purchaseOrderDateUTC supplierOrderReference authorizedContactName cardAcceptorRefNumber amexDataTAA1 amexDataTAA2 amexDataTAA3 amexDataTAA4",
    ),
    customer: sequence("type id email driversLicense taxId"),
    billTo: sequence(`${address} phoneNumber faxNumber email`),
    transactionSettings: sequence("setting", { setting: sequence("settingName settingValue") }),
  },
);
const sorting = sequence("orderBy orderDescending");
const paging = sequence("limit offset");

const request = (payload: string, within: Record<string, Sequence> = {}): Sequence =>
  sequence(`merchantAuthentication clientId refId ${payload}`.trim(), {
    merchantAuthentication,
    ...within,
  });

/** The calls that this sandbox answers, by their root element. */
const requests: Record<string, Sequence> = {
  createTransactionRequest: request("transactionRequest", { transactionRequest }),
  getTransactionDetailsRequest: request("transId"),
  getUnsettledTransactionListRequest: request("status sorting paging", { sorting, paging }),
  getSettledBatchListRequest: request("includeStatistics firstSettlementDate lastSettlementDate"),
  getTransactionListRequest: request("batchId sorting paging", { sorting, paging }),
  getMerchantDetailsRequest: request(""),
  securePaymentContainerRequest: request("data", {
    data: sequence("type id token", {
      token: sequence("cardNumber expirationDate cardCode zip fullName"),
    }),
  }),
};

const namespace = "AnetApi/xml/v1/schema/AnetApiSchema.xsd";

/** The text of an E00003 about the first element that is out of place or too long; null if there is none. */
export function schemaFault(root: string, body: Json): string | null {
  const shape = requests[root];
  if (!shape) return `The '${root}' element is not declared.`;
  return orderFault(root, body, shape) ?? lengthFault(body);
}

function orderFault(name: string, json: Json, shape: Sequence): string | null {
  let reached = 0;
  for (const child of keysOf(json)) {
    const place = shape.order.indexOf(child);
    if (place < reached) return misplaced(name, child, shape.order.slice(reached));
    reached = place + (Array.isArray(at(json, child)) ? 0 : 1);
    const inner = shape.within?.[child];
    if (!inner) continue;
    for (const element of listAt(json, child)) {
      const fault = orderFault(child, element, inner);
      if (fault) return fault;
    }
  }
  return null;
}

function misplaced(name: string, child: string, expected: readonly string[]): string {
  return `The element '${name}' in namespace '${namespace}' has invalid child element '${child}' in namespace '${namespace}'. List of possible elements expected: '${expected.join(", ")}' in namespace '${namespace}'.`;
}

const maxLengths: [path: string, length: number][] = [
  ["refId", 20],
  ["transactionRequest.order.invoiceNumber", 20],
  ["transactionRequest.order.description", 255],
  ["transactionRequest.customer.id", 20],
  ["transactionRequest.customer.email", 255],
  ["transactionRequest.billTo.firstName", 50],
  ["transactionRequest.billTo.lastName", 50],
  ["transactionRequest.billTo.company", 50],
  ["transactionRequest.billTo.address", 60],
  ["transactionRequest.billTo.city", 40],
  ["transactionRequest.billTo.state", 40],
  ["transactionRequest.billTo.zip", 20],
  ["transactionRequest.billTo.country", 60],
  ["transactionRequest.billTo.phoneNumber", 25],
];

function lengthFault(body: Json): string | null {
  for (const [path, length] of maxLengths) {
    const value = at(body, ...path.split("."));
    if (typeof value === "string" && value.length > length) {
      return `The '${namespace}:${path.split(".").at(-1)}' element is invalid - The value '${value}' is invalid according to its datatype 'String' - The actual length is greater than the MaxLength value.`;
    }
  }
  return null;
}
