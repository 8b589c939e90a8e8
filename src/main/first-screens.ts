import type { PreloadSettings } from "#http/page-preload.ts";
import { listActivity } from "#features/activity/contract.ts";
import { listAttorneys, showAttorney } from "#features/attorneys/contract.ts";
import { showSession } from "#features/auth/contract.ts";
import { listChecks, showCheck } from "#features/checks/contract.ts";
import { listFirms, showFirm } from "#features/firms/contract.ts";
import {
  listDeposits,
  listHeldMoney,
  listUndepositedChecks,
  showDeposit,
} from "#features/deposits/contract.ts";
import { listJournal, showBooks } from "#features/journal/contract.ts";
import { listBillingRuns, listDueButNotBilled } from "#features/ledger/contract.ts";
import { listDebits } from "#features/ledger/debits.list.ts";
import { listMail } from "#features/mail/contract.ts";
import {
  listMyMatters,
  listReferrals,
  listReports,
  showMatter,
  showStanding,
} from "#features/matters/contract.ts";
import { listMatters } from "#features/matters/matters.list.ts";
import { listHeldCharges, showCardPayment, showCardSettings } from "#features/cards/contract.ts";
import { showReceipt } from "#features/payments/contract.ts";
import { listPayments } from "#features/payments/payments.list.ts";
import { listExports, showExportOptions } from "#list/reports-contract.ts";
import { showSettings } from "#features/suspension/contract.ts";
import { showPlan } from "#features/subscriptions/contract.ts";
import { listPlans } from "#features/subscriptions/plans.list.ts";
import { listPlanEnrolments } from "#features/subscriptions/enrolments.list.ts";
import { showOverview } from "#features/today/contract.ts";

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
    { path: /^\/sign-in$/, file: "auth/SignInScreen.tsx" },
    { path: /^\/sign-in\/link$/, file: "auth/SignInLinkScreen.tsx" },
    { path: /^\/sign-in\/address$/, file: "auth/EmailChangeScreen.tsx" },
    { path: /^\/account$/, file: "auth/AccountScreen.tsx" },
    { path: /^\/account\/security$/, file: "auth/SecurityScreen.tsx" },
    {
      path: /^\/receipts\/([1-9]\d*)$/,
      file: "payments/ReceiptScreen.tsx",
      calls: (_, id) => [{ endpoint: showReceipt, params: { id } }],
    },
    { path: /^\/statements\/([1-9]\d*)$/, file: "statements/StatementScreen.tsx" },
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
      file: "matters/OwnMattersScreen.tsx",
      calls: () => [{ endpoint: listMyMatters }, { endpoint: showStanding }],
    },
    {
      path: /^\/admin$/,
      file: "today/TodayScreen.tsx",
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
      file: "ledger/DueButNotBilledScreen.tsx",
      calls: () => [{ endpoint: listDueButNotBilled }],
    },
    {
      path: /^\/admin\/mail$/,
      file: "mail/MailScreen.tsx",
      calls: () => [{ endpoint: listMail, query: firstPage(50) }],
    },
    {
      path: /^\/admin\/attorneys$/,
      file: "panel/AttorneysScreen.tsx",
      calls: () => [{ endpoint: listAttorneys, query: firstPage(50) }],
    },
    { path: /^\/admin\/attorneys\/import$/, file: "attorneys/ImportAttorneysScreen.tsx" },
    {
      path: /^\/admin\/attorneys\/([1-9]\d*)$/,
      file: "attorney-record/AttorneyScreen.tsx",
      calls: (_, id) => [{ endpoint: showAttorney, params: { id } }],
    },
    {
      path: /^\/admin\/matters$/,
      file: "matters/MattersScreen.tsx",
      calls: () => [{ endpoint: listMatters, query: firstPage(50) }],
    },
    { path: /^\/admin\/matters\/new$/, file: "matters/RecordMatterScreen.tsx" },
    { path: /^\/admin\/matters\/import$/, file: "matters/ImportMattersScreen.tsx" },
    {
      path: /^\/admin\/matters\/([1-9]\d*)$/,
      file: "matters/MatterScreen.tsx",
      calls: (_, id) => [
        { endpoint: showMatter, params: { id } },
        { endpoint: listReports, params: { id } },
        { endpoint: listReferrals, params: { id } },
      ],
    },
    {
      path: /^\/admin\/subscriptions$/,
      file: "subscriptions/SubscriptionsScreen.tsx",
      calls: () => [
        { endpoint: listPlans },
        { endpoint: showExportOptions },
        { endpoint: listBillingRuns, query: firstPage(10) },
      ],
    },
    {
      path: /^\/admin\/checks$/,
      file: "checks/ChecksScreen.tsx",
      calls: () => [{ endpoint: listChecks, query: { ...firstPage(50), status: "pending" } }],
    },
    { path: /^\/admin\/checks\/new$/, file: "checks/RecordCheckScreen.tsx" },
    {
      path: /^\/admin\/checks\/([1-9]\d*)$/,
      file: "checks/CheckScreen.tsx",
      calls: (_, id) => [{ endpoint: showCheck, params: { id } }],
    },
    {
      path: /^\/admin\/plans\/([1-9]\d*)$/,
      file: "subscriptions/PlanScreen.tsx",
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
      file: "firms/FirmsScreen.tsx",
      calls: () => [{ endpoint: listFirms, query: firstPage(50) }],
    },
    {
      path: /^\/admin\/firms\/([1-9]\d*)$/,
      file: "firms/FirmScreen.tsx",
      calls: (_, id) => [
        { endpoint: showFirm, params: { id } },
        { endpoint: listChecks, query: { ...firstPage(20), firm_id: id } },
      ],
    },
    {
      path: /^\/admin\/deposits$/,
      file: "deposits/DepositsScreen.tsx",
      calls: () => [
        { endpoint: listDeposits, query: firstPage(50) },
        { endpoint: listHeldMoney, query: firstPage(200) },
      ],
    },
    {
      path: /^\/admin\/deposits\/new$/,
      file: "deposits/NewDepositScreen.tsx",
      calls: () => [
        { endpoint: listDeposits, query: firstPage(1) },
        { endpoint: listUndepositedChecks, query: firstPage(50) },
      ],
    },
    {
      path: /^\/admin\/deposits\/([1-9]\d*)$/,
      file: "deposits/DepositScreen.tsx",
      calls: (_, id) => [{ endpoint: showDeposit, params: { id } }],
    },
    {
      path: /^\/admin\/deposits\/([1-9]\d*)\/edit$/,
      file: "deposits/EditDepositScreen.tsx",
      calls: (_, id) => [
        { endpoint: showDeposit, params: { id } },
        { endpoint: listUndepositedChecks, query: firstPage(50) },
      ],
    },
    { path: /^\/admin\/receivables$/, file: "receivables/ReceivablesScreen.tsx" },
    {
      path: /^\/admin\/journal$/,
      file: "journal/JournalScreen.tsx",
      calls: () => [{ endpoint: showBooks }, { endpoint: listJournal, query: firstPage(50) }],
    },
    {
      path: /^\/admin\/debits$/,
      file: "ledger/DebitsScreen.tsx",
      calls: () => [{ endpoint: listDebits, query: { ...firstPage(50), state: "open" } }],
    },
    {
      path: /^\/admin\/payments$/,
      file: "payments/PaymentsScreen.tsx",
      calls: () => [{ endpoint: listPayments, query: firstPage(50) }],
    },
    {
      path: /^\/admin\/reports$/,
      file: "exports/ExportsScreen.tsx",
      calls: () => [
        { endpoint: showExportOptions },
        { endpoint: listExports, query: firstPage(20) },
      ],
    },
    {
      path: /^\/admin\/activity$/,
      file: "activity/ActivityScreen.tsx",
      calls: () => [{ endpoint: listActivity, query: firstPage(50) }],
    },
    {
      path: /^\/admin\/settings$/,
      file: "settings/SettingsScreen.tsx",
      calls: () => [{ endpoint: showSettings }, { endpoint: showCardSettings }],
    },
    { path: /^\/admin\/settings\/([a-z-]+)$/, file: "settings/SettingsScreen.tsx" },
  ],
};
