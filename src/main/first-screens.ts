import type { PreloadSettings } from "#kit/http/page-preload.ts";
import { listActivity } from "#office/activity/contract.ts";
import { listAttorneys, showAttorney } from "#people/contract.ts";
import { showSession } from "#access/sign-in/contract.ts";
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
  showStanding,
} from "#referrals/matters/contract.ts";
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
 * Which screen each address shows, as `App` has it, and what that asks for what it shows at the top;
 * what stands below, or takes long to find, it asks for itself. tests/e2e/first-paint.test.ts opens
 * each and holds this list to it.
 */
export const firstScreens: PreloadSettings = {
  session: showSession,
  besideScreens: {
    chunk: "administration",
    calls: [{ endpoint: listChecks, query: { page: "1000000", per_page: "1", status: "pending" } }],
  },
  screens: [
    { path: /^\/sign-in$/, file: "access/sign-in/SignInScreen.tsx" },
    { path: /^\/sign-in\/link$/, file: "access/sign-in/SignInLinkScreen.tsx" },
    { path: /^\/sign-in\/address$/, file: "access/sign-in/EmailChangeScreen.tsx" },
    { path: /^\/account$/, file: "access/sign-in/AccountScreen.tsx" },
    { path: /^\/account\/security$/, file: "access/sign-in/SecurityScreen.tsx" },
    {
      path: /^\/receipts\/([1-9]\d*)$/,
      file: "payments/ReceiptScreen.tsx",
      calls: (_, id) => [{ endpoint: showReceipt, params: { id } }],
    },
    { path: /^\/statements\/([1-9]\d*)$/, file: "dues/ledger/statements/StatementScreen.tsx" },
    {
      path: /^\/dashboard$/,
      file: "dashboard/DashboardScreen.tsx",
      calls: ({ attorneyId }) => [
        { endpoint: showAttorney, params: { id: String(attorneyId) } },
        { endpoint: showStanding },
      ],
    },
    {
      path: /^\/dashboard\/referrals$/,
      file: "referrals/matters/OwnMattersScreen.tsx",
      calls: () => [{ endpoint: listMyMatters }, { endpoint: showStanding }],
    },
    {
      path: /^\/admin$/,
      file: "office/desk/today/TodayScreen.tsx",
      calls: () => [{ endpoint: showOverview }],
    },
    {
      path: /^\/admin\/card-payments$/,
      file: "cards/CardPaymentsScreen.tsx",
      calls: () => [{ endpoint: listHeldCharges, query: firstPage(50) }],
    },
    {
      path: /^\/admin\/card-payments\/([1-9]\d*)$/,
      file: "cards/CardPaymentScreen.tsx",
      calls: (_, id) => [{ endpoint: showCardPayment, params: { id } }],
    },
    {
      path: /^\/admin\/due-but-not-billed$/,
      file: "dues/ledger/DueButNotBilledScreen.tsx",
      calls: () => [{ endpoint: listDueButNotBilled }],
    },
    {
      path: /^\/admin\/mail$/,
      file: "outgoing/mail/MailScreen.tsx",
      calls: () => [{ endpoint: listMail, query: firstPage(50) }],
    },
    {
      path: /^\/admin\/attorneys$/,
      file: "people/AttorneysScreen.tsx",
      calls: () => [{ endpoint: listAttorneys, query: firstPage(50) }],
    },
    { path: /^\/admin\/attorneys\/import$/, file: "people/ImportAttorneysScreen.tsx" },
    {
      path: /^\/admin\/attorneys\/([1-9]\d*)$/,
      file: "people/AttorneyScreen.tsx",
      calls: (_, id) => [{ endpoint: showAttorney, params: { id } }],
    },
    {
      path: /^\/admin\/matters$/,
      file: "referrals/matters/MattersScreen.tsx",
      calls: () => [{ endpoint: listMatters, query: firstPage(50) }],
    },
    { path: /^\/admin\/matters\/new$/, file: "referrals/matters/RecordMatterScreen.tsx" },
    { path: /^\/admin\/matters\/import$/, file: "referrals/matters/ImportMattersScreen.tsx" },
    {
      path: /^\/admin\/matters\/([1-9]\d*)$/,
      file: "referrals/matters/MatterScreen.tsx",
      calls: (_, id) => [
        { endpoint: showMatter, params: { id } },
        { endpoint: listReports, params: { id } },
        { endpoint: listReferrals, params: { id } },
      ],
    },
    {
      path: /^\/admin\/subscriptions$/,
      file: "dues/plans/SubscriptionsScreen.tsx",
      calls: () => [
        { endpoint: listPlans },
        { endpoint: showExportOptions },
        { endpoint: listBillingRuns, query: firstPage(10) },
      ],
    },
    {
      path: /^\/admin\/checks$/,
      file: "payments/checks/ChecksScreen.tsx",
      calls: () => [{ endpoint: listChecks, query: { ...firstPage(50), status: "pending" } }],
    },
    { path: /^\/admin\/checks\/new$/, file: "payments/checks/RecordCheckScreen.tsx" },
    {
      path: /^\/admin\/checks\/([1-9]\d*)$/,
      file: "payments/checks/CheckScreen.tsx",
      calls: (_, id) => [{ endpoint: showCheck, params: { id } }],
    },
    {
      path: /^\/admin\/plans\/([1-9]\d*)$/,
      file: "dues/plans/PlanScreen.tsx",
      calls: (_, id) => [
        { endpoint: showPlan, params: { id } },
        {
          endpoint: listPlanEnrolments,
          params: { id },
          query: { ...firstPage(50), state: "active" },
        },
      ],
    },
    {
      path: /^\/admin\/firms$/,
      file: "panel/firms/FirmsScreen.tsx",
      calls: () => [{ endpoint: listFirms, query: firstPage(50) }],
    },
    {
      path: /^\/admin\/firms\/([1-9]\d*)$/,
      file: "panel/firms/FirmScreen.tsx",
      calls: (_, id) => [
        { endpoint: showFirm, params: { id } },
        { endpoint: listChecks, query: { ...firstPage(20), firm_id: id } },
      ],
    },
    {
      path: /^\/admin\/deposits$/,
      file: "payments/deposits/DepositsScreen.tsx",
      calls: () => [
        { endpoint: listDeposits, query: firstPage(50) },
        { endpoint: listHeldMoney, query: firstPage(200) },
      ],
    },
    {
      path: /^\/admin\/deposits\/new$/,
      file: "payments/deposits/NewDepositScreen.tsx",
      calls: () => [
        { endpoint: listDeposits, query: firstPage(1) },
        { endpoint: listUndepositedChecks, query: firstPage(50) },
      ],
    },
    {
      path: /^\/admin\/deposits\/([1-9]\d*)$/,
      file: "payments/deposits/DepositScreen.tsx",
      calls: (_, id) => [{ endpoint: showDeposit, params: { id } }],
    },
    {
      path: /^\/admin\/deposits\/([1-9]\d*)\/edit$/,
      file: "payments/deposits/EditDepositScreen.tsx",
      calls: (_, id) => [
        { endpoint: showDeposit, params: { id } },
        { endpoint: listUndepositedChecks, query: firstPage(50) },
      ],
    },
    { path: /^\/admin\/receivables$/, file: "dues/ledger/receivables/ReceivablesScreen.tsx" },
    {
      path: /^\/admin\/journal$/,
      file: "dues/ledger/journal/JournalScreen.tsx",
      calls: () => [{ endpoint: showBooks }, { endpoint: listJournal, query: firstPage(50) }],
    },
    {
      path: /^\/admin\/debits$/,
      file: "dues/ledger/DebitsScreen.tsx",
      calls: () => [{ endpoint: listDebits, query: { ...firstPage(50), state: "open" } }],
    },
    {
      path: /^\/admin\/payments$/,
      file: "payments/PaymentsScreen.tsx",
      calls: () => [{ endpoint: listPayments, query: firstPage(50) }],
    },
    {
      path: /^\/admin\/reports$/,
      file: "office/reports/ExportsScreen.tsx",
      calls: () => [
        { endpoint: showExportOptions },
        { endpoint: listExports, query: firstPage(20) },
      ],
    },
    {
      path: /^\/admin\/activity$/,
      file: "office/activity/ActivityScreen.tsx",
      calls: () => [{ endpoint: listActivity, query: firstPage(50) }],
    },
    {
      path: /^\/admin\/settings$/,
      file: "main/settings/SettingsScreen.tsx",
      calls: () => [{ endpoint: showSettings }, { endpoint: showCardSettings }],
    },
    { path: /^\/admin\/settings\/([a-z-]+)$/, file: "main/settings/SettingsScreen.tsx" },
  ],
};
