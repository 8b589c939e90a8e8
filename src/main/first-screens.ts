import type { PreloadSettings, ScreenPreload } from "#kit/http/page-preload.ts";
import { type ScreenPath, screens } from "./screens.ts";
import { listActivity } from "#office/activity/contract.ts";
import { showAttorney } from "#people/contract.ts";
import { listAttorneys } from "#panel/contract.ts";
import { showSession } from "#kit/contract/session.ts";
import { listChecks, showCheck } from "#payments/checks/contract.ts";
import { listFirms, showFirm } from "#panel/firms/contract.ts";
import {
  listDeposits,
  listHeldMoney,
  listUndepositedChecks,
  showDeposit,
} from "#payments/deposits/contract.ts";
import { listJournal, showBooks } from "#dues/ledger/journal/contract.ts";
import { listBillingRuns, listDueButNotBilled } from "#dues/ledger/contract.ts";
import { listDebits } from "#dues/ledger/debits.list.ts";
import { listMail } from "#outgoing/mail/contract.ts";
import {
  listMyMatters,
  listReferrals,
  listReports,
  showMatter,
} from "#referrals/matters/contract.ts";
import { showSuspensionStatus } from "#referrals/suspension/contract.ts";
import { listMatters } from "#referrals/matters/matters.list.ts";
import { listHeldCharges, showCardPayment, showCardSettings } from "#cards/contract.ts";
import { showReceipt } from "#payments/contract.ts";
import { listPayments } from "#payments/payments.list.ts";
import { listExports, showExportOptions } from "#kit/list/reports-contract.ts";
import { showSettings } from "#referrals/suspension/contract.ts";
import { showPlan } from "#dues/plans/contract.ts";
import { listPlans } from "#dues/plans/plans.list.ts";
import { listPlanEnrolments } from "#dues/plans/enrolments.list.ts";
import { showOverview } from "#office/desk/today/contract.ts";

const firstPage = (rows: number) => ({ page: "1", per_page: String(rows) });

/**
 * What a screen asks for what it shows at the top; what is further down, or takes long to find, it asks for
 * itself. tests/e2e/first-paint.test.ts opens each screen and compares.
 */
const firstCalls: Partial<Record<ScreenPath, ScreenPreload["calls"]>> = {
  "/receipts/:id": (_, id) => [{ endpoint: showReceipt, params: { id } }],
  "/dashboard": ({ attorneyId }) => [
    { endpoint: showAttorney, params: { id: String(attorneyId) } },
    { endpoint: showSuspensionStatus },
  ],
  "/dashboard/referrals": () => [{ endpoint: listMyMatters }, { endpoint: showSuspensionStatus }],
  "/admin": () => [{ endpoint: showOverview }],
  "/admin/card-payments": () => [{ endpoint: listHeldCharges, query: firstPage(50) }],
  "/admin/card-payments/:id": (_, id) => [{ endpoint: showCardPayment, params: { id } }],
  "/admin/due-but-not-billed": () => [{ endpoint: listDueButNotBilled }],
  "/admin/mail": () => [{ endpoint: listMail, query: firstPage(50) }],
  "/admin/attorneys": () => [{ endpoint: listAttorneys, query: firstPage(50) }],
  "/admin/attorneys/:id": (_, id) => [{ endpoint: showAttorney, params: { id } }],
  "/admin/matters": () => [{ endpoint: listMatters, query: firstPage(50) }],
  "/admin/matters/:id": (_, id) => [
    { endpoint: showMatter, params: { id } },
    { endpoint: listReports, params: { id } },
    { endpoint: listReferrals, params: { id } },
  ],
  "/admin/subscriptions": () => [
    { endpoint: listPlans },
    { endpoint: showExportOptions },
    { endpoint: listBillingRuns, query: firstPage(10) },
  ],
  "/admin/checks": () => [{ endpoint: listChecks, query: { ...firstPage(50), status: "pending" } }],
  "/admin/checks/:id": (_, id) => [{ endpoint: showCheck, params: { id } }],
  "/admin/plans/:id": (_, id) => [
    { endpoint: showPlan, params: { id } },
    {
      endpoint: listPlanEnrolments,
      params: { id },
      query: { ...firstPage(50), state: "active" },
    },
  ],
  "/admin/firms": () => [{ endpoint: listFirms, query: firstPage(50) }],
  "/admin/firms/:id": (_, id) => [
    { endpoint: showFirm, params: { id } },
    { endpoint: listChecks, query: { ...firstPage(20), firm_id: id } },
  ],
  "/admin/deposits": () => [
    { endpoint: listDeposits, query: firstPage(50) },
    { endpoint: listHeldMoney, query: firstPage(200) },
  ],
  "/admin/deposits/new": () => [
    { endpoint: listDeposits, query: firstPage(1) },
    { endpoint: listUndepositedChecks, query: firstPage(50) },
  ],
  "/admin/deposits/:id": (_, id) => [{ endpoint: showDeposit, params: { id } }],
  "/admin/deposits/:id/edit": (_, id) => [
    { endpoint: showDeposit, params: { id } },
    { endpoint: listUndepositedChecks, query: firstPage(50) },
  ],
  "/admin/journal": () => [
    { endpoint: showBooks },
    { endpoint: listJournal, query: firstPage(50) },
  ],
  "/admin/debits": () => [{ endpoint: listDebits, query: { ...firstPage(50), state: "open" } }],
  "/admin/payments": () => [{ endpoint: listPayments, query: firstPage(50) }],
  "/admin/reports": () => [
    { endpoint: showExportOptions },
    { endpoint: listExports, query: firstPage(20) },
  ],
  "/admin/activity": () => [{ endpoint: listActivity, query: firstPage(50) }],
  "/admin/settings": () => [{ endpoint: showSettings }, { endpoint: showCardSettings }],
};

/** As a page's address is matched: ids are whole numbers. */
const patternOf = (path: string) =>
  new RegExp(
    `^${path.replaceAll("/", "\\/").replace(":id", "([1-9]\\d*)").replace(":page", "([a-z-]+)")}$`,
  );

/** What a page brings with it, by its address. */
export const firstScreens: PreloadSettings = {
  session: showSession,
  besideScreens: {
    chunk: "administration",
    calls: [{ endpoint: listChecks, query: { page: "1000000", per_page: "1", status: "pending" } }],
  },
  screens: screens
    .filter(({ path }) => !path.includes("*"))
    .map(({ path, file }) => ({ path: patternOf(path), file, calls: firstCalls[path] })),
};
