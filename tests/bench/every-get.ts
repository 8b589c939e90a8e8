import type { Endpoint } from "#kit/contract/endpoint.ts";

/** Ids of the largest records of the bench. */
export interface Largest {
  attorney: number;
  /** The attorney with the longest statement. */
  other: number;
  plan: number;
  enrolment: number;
  batch: number;
  firm: number;
  check: number;
  deposit: number;
  matter: number;
  payment: number;
  card: number;
  report: number;
}

/** The caller: the network's administrator, or the attorney. */
type Caller = "admin" | "lawyer";

interface Example {
  path: string;
  by?: Caller;
  /** A refusal, where the answer would need other programs. */
  status?: number;
}

const page = "page=1&per_page=200";
const always = "from=2000-01-01&to=2099-12-31";

/**
 * Each GET of the contract, by its path, with the parameters of its largest answer. A new call without an
 * example fails tests/bench/every-get.test.ts.
 */
export const examples: Record<string, (of: Largest) => Example[]> = {
  "/session": () => [{ path: "/session" }, { path: "/session", by: "lawyer" }],
  "/account/second_factor": () => [{ path: "/account/second_factor" }],
  "/account/passkeys": () => [{ path: "/account/passkeys" }],
  "/account/sessions": () => [{ path: "/account/sessions" }],
  "/administrators": () => [{ path: "/administrators" }],
  "/administrators/second_factor_requirement": () => [
    { path: "/administrators/second_factor_requirement" },
  ],
  "/attorneys": () => [{ path: `/attorneys?${page}` }, { path: `/attorneys?${page}&search=first` }],
  "/attorneys/:id": ({ attorney, other }) => [
    { path: `/attorneys/${attorney}` },
    { path: `/attorneys/${attorney}`, by: "lawyer" },
    { path: `/attorneys/${other}` },
  ],
  "/attorneys/:id/credit": ({ attorney }) => [{ path: `/attorneys/${attorney}/credit` }],
  "/attorneys/:id/statement": ({ attorney, other }) => [
    { path: `/attorneys/${other}/statement?${always}` },
    { path: `/attorneys/${attorney}/statement?${always}`, by: "lawyer" },
  ],
  "/attorneys/:id/statement.pdf": ({ attorney, other }) => [
    { path: `/attorneys/${other}/statement.pdf?${always}` },
    { path: `/attorneys/${attorney}/statement.pdf?${always}`, by: "lawyer" },
  ],
  "/imports/under_way": () => [{ path: "/imports/under_way" }],
  "/lrs_subscriptions/": () => [{ path: "/lrs_subscriptions/" }],
  "/lrs_subscriptions/:id": ({ plan }) => [{ path: `/lrs_subscriptions/${plan}` }],
  "/lrs_subscriptions/:id/enrolments": ({ plan }) => [
    { path: `/lrs_subscriptions/${plan}/enrolments?${page}` },
  ],
  "/lrs_subscriptions/:id/subscribe_all_preview": ({ plan }) => [
    { path: `/lrs_subscriptions/${plan}/subscribe_all_preview` },
  ],
  "/lrs_subscription_instances/subscribe_all/:id/undo_preview": ({ batch }) => [
    { path: `/lrs_subscription_instances/subscribe_all/${batch}/undo_preview` },
  ],
  "/lrs_subscription_instances": ({ attorney }) => [
    { path: `/lrs_subscription_instances?attorney_id=${attorney}` },
  ],
  "/lrs_subscription_instances/:id/upcoming": ({ enrolment }) => [
    { path: `/lrs_subscription_instances/${enrolment}/upcoming` },
  ],
  "/lrs_subscription_debits/outstanding": ({ attorney }) => [
    { path: `/lrs_subscription_debits/outstanding?attorney_id=${attorney}` },
  ],
  "/debits": ({ attorney }) => [
    { path: `/debits?${page}` },
    { path: `/debits?${page}&attorney_id=${attorney}` },
  ],
  "/billing_runs": () => [{ path: `/billing_runs?${page}` }],
  "/billing_runs/due_but_not_billed": () => [{ path: "/billing_runs/due_but_not_billed" }],
  "/payments": () => [{ path: `/payments?${page}` }, { path: `/payments?${page}&search=long` }],
  "/payments/:id/receipt": ({ payment }) => [{ path: `/payments/${payment}/receipt` }],
  "/card_payments": ({ attorney }) => [
    { path: `/card_payments?${page}&attorney_id=${attorney}&state=captured` },
  ],
  "/card_payments/:id": ({ card }) => [{ path: `/card_payments/${card}` }],
  "/held_card_charges": () => [{ path: `/held_card_charges?${page}` }],
  "/elavon/session_token": () => [
    {
      path: "/elavon/session_token?first_name=A&last_name=B&address=C&zip=10013&amount=5",
      by: "lawyer",
      status: 409, // the network uses another processor
    },
  ],
  "/dashboard_settings": () => [{ path: "/dashboard_settings", by: "lawyer" }],
  "/legal_networks/card_settings": () => [{ path: "/legal_networks/card_settings" }],
  "/matters": () => [{ path: `/matters?${page}` }, { path: `/matters?${page}&search=client` }],
  "/matters/mine": () => [{ path: "/matters/mine", by: "lawyer" }],
  "/matters/mine/standing": () => [{ path: "/matters/mine/standing", by: "lawyer" }],
  "/matters/:id": ({ matter }) => [{ path: `/matters/${matter}` }],
  "/choices": () => [{ path: "/choices?of=payers" }, { path: "/choices?of=attorneys&search=an" }],
  "/matters/attorneys": () => [{ path: `/matters/attorneys?${page}` }],
  "/matters/same_client": () => [
    { path: "/matters/same_client?first_name=Client1&last_name=Surname1&phone=5550200001" },
  ],
  "/matters/:id/referrals": ({ matter }) => [{ path: `/matters/${matter}/referrals` }],
  "/matters/:id/reports": ({ matter }) => [{ path: `/matters/${matter}/reports` }],
  "/legal_networks/settings": () => [{ path: "/legal_networks/settings" }],
  "/legal_networks/suspension_preview": () => [
    { path: "/legal_networks/suspension_preview?threshold=0" },
  ],
  "/legal_networks/vacation_settings": () => [{ path: "/legal_networks/vacation_settings" }],
  "/legal_networks/brand": () => [{ path: "/legal_networks/brand" }],
  "/legal_networks/logo": () => [{ path: "/legal_networks/logo" }],
  "/legal_networks/statement_settings": () => [{ path: "/legal_networks/statement_settings" }],
  "/legal_networks/money_settings": () => [{ path: "/legal_networks/money_settings" }],
  "/data_exports/options": () => [{ path: "/data_exports/options" }],
  "/saved_filters": () => [{ path: "/saved_filters" }],
  "/data_exports": () => [{ path: `/data_exports?${page}` }],
  "/data_export_schedules": () => [{ path: "/data_export_schedules" }],
  "/data_exports/:id/file": ({ report }) => [{ path: `/data_exports/${report}/file` }],
  "/mail": () => [{ path: `/mail?${page}` }],
  "/overview": () => [{ path: "/overview" }],
  "/activity": ({ attorney }) => [
    { path: `/activity?${page}` },
    { path: `/activity?${page}&attorney_id=${attorney}` },
  ],
  "/activity/people": () => [{ path: "/activity/people" }],
  "/webhook_endpoints": () => [{ path: "/webhook_endpoints" }],
  "/webhook_deliveries": () => [{ path: `/webhook_deliveries?${page}` }],
  "/api_tokens": () => [{ path: `/api_tokens?${page}` }],
  "/firms": () => [{ path: `/firms?${page}` }],
  "/firms/:id": ({ firm }) => [{ path: `/firms/${firm}` }],
  "/checks": () => [{ path: `/checks?${page}` }, { path: `/checks?${page}&search=long` }],
  "/checks/:id": ({ check }) => [{ path: `/checks/${check}` }],
  "/checks/:id/returned_preview": ({ check }) => [{ path: `/checks/${check}/returned_preview` }],
  "/deposits": () => [{ path: `/deposits?${page}` }],
  "/deposits/undeposited_checks": () => [{ path: `/deposits/undeposited_checks?${page}` }],
  "/deposits/:id": ({ deposit }) => [{ path: `/deposits/${deposit}` }],
  "/held_money": () => [{ path: `/held_money?${page}` }],
  "/journal": ({ attorney }) => [
    { path: `/journal?${page}` },
    { path: `/journal?${page}&${always}&attorney_id=${attorney}` },
  ],
  "/books": () => [{ path: "/books" }],
  "/books/close_preview": () => [{ path: "/books/close_preview?through=2026-01-31" }],
  "/receivables": () => [{ path: `/receivables?${page}` }],
  "/search": () =>
    ["O’Brien", "5550100001", "LONG-1", "a"].map((q) => ({
      path: `/search?q=${encodeURIComponent(q)}`,
    })),
};

/** Addresses outside the contract. */
export const otherAddresses: Example[] = [
  "/healthz",
  "/readyz",
  "/metrics",
  "/api/openapi.json",
  "/api/docs",
  "/api/docs.css",
].map((path) => ({ path }));

/** The pages, each with the calls of its first screen. */
export const pages = (of: Largest): Example[] => [
  ...[
    "/account",
    "/account/security",
    "/dashboard",
    "/dashboard/referrals",
    `/receipts/${of.payment}`,
    `/statements/${of.attorney}`,
  ].map((path) => ({ path, by: "lawyer" as const })),
  ...[
    "/admin",
    "/admin/card-payments",
    `/admin/card-payments/${of.card}`,
    "/admin/due-but-not-billed",
    "/admin/mail",
    "/admin/attorneys",
    "/admin/attorneys/import",
    `/admin/attorneys/${of.attorney}`,
    `/admin/attorneys/${of.other}`,
    "/admin/matters",
    "/admin/matters/new",
    "/admin/matters/import",
    `/admin/matters/${of.matter}`,
    "/admin/subscriptions",
    "/admin/checks",
    "/admin/checks/new",
    `/admin/checks/${of.check}`,
    `/admin/plans/${of.plan}`,
    "/admin/firms",
    `/admin/firms/${of.firm}`,
    "/admin/deposits",
    "/admin/deposits/new",
    `/admin/deposits/${of.deposit}`,
    `/admin/deposits/${of.deposit}/edit`,
    "/admin/receivables",
    "/admin/journal",
    "/admin/debits",
    "/admin/payments",
    "/admin/reports",
    "/admin/activity",
    "/admin/settings",
    "/admin/settings/network",
  ].map((path) => ({ path })),
];

/** Every address that is measured, with its caller. */
export const everyGet = (of: Largest): Required<Example>[] =>
  [
    ...Object.values(examples).flatMap((example) => example(of)),
    ...otherAddresses,
    ...pages(of),
  ].map(({ path, by = "admin", status = 200 }) => ({ path, by, status }));

/** The paths of calls without an example. */
export const withoutExample = (endpoints: Pick<Endpoint, "method" | "path">[]): string[] =>
  endpoints
    .filter(({ method, path }) => method === "GET" && !examples[path])
    .map(({ path }) => path);
