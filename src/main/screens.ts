export interface Screen<Path extends string = string> {
  /** Who may see it; screens for "anyone" are for signing in. */
  viewer: "anyone" | "signed-in" | "attorney" | "admin";
  /** Its address; `:id` stands for the id of a record. */
  path: Path;
  /** Below src; it exports a component of the same name. */
  file: string;
}

const seenBy =
  (viewer: Screen["viewer"]) =>
  <const Path extends string>(path: Path, file: string): Screen<Path> => ({ viewer, path, file });

const anyone = seenBy("anyone");
const signedIn = seenBy("signed-in");
const attorney = seenBy("attorney");
const admin = seenBy("admin");

/** Every screen of the product. */
export const screens = [
  anyone("/sign-in", "access/sign-in/SignInScreen.tsx"),
  anyone("/sign-in/link", "access/sign-in/SignInLinkScreen.tsx"),
  anyone("/sign-in/address", "access/sign-in/EmailChangeScreen.tsx"),
  anyone("/sign-in/*", "access/sign-in/DamagedLinkScreen.tsx"),
  signedIn("/account", "access/sign-in/AccountScreen.tsx"),
  signedIn("/account/security", "access/sign-in/SecurityScreen.tsx"),
  signedIn("/receipts/:id", "payments/ReceiptScreen.tsx"),
  signedIn("/statements/:id", "dues/ledger/statements/StatementScreen.tsx"),
  attorney("/dashboard", "dashboard/DashboardScreen.tsx"),
  attorney("/dashboard/referrals", "referrals/matters/OwnMattersScreen.tsx"),
  admin("/admin", "office/desk/today/TodayScreen.tsx"),
  admin("/admin/card-payments", "cards/CardPaymentsScreen.tsx"),
  admin("/admin/card-payments/:id", "cards/CardPaymentScreen.tsx"),
  admin("/admin/due-but-not-billed", "dues/ledger/DueButNotBilledScreen.tsx"),
  admin("/admin/mail", "outgoing/mail/MailScreen.tsx"),
  admin("/admin/attorneys", "people/AttorneysScreen.tsx"),
  admin("/admin/attorneys/import", "people/ImportAttorneysScreen.tsx"),
  admin("/admin/attorneys/:id", "main/screens/AttorneyScreen.tsx"),
  admin("/admin/matters", "referrals/matters/MattersScreen.tsx"),
  admin("/admin/matters/new", "referrals/matters/RecordMatterScreen.tsx"),
  admin("/admin/matters/import", "referrals/matters/ImportMattersScreen.tsx"),
  admin("/admin/matters/:id", "main/screens/MatterScreen.tsx"),
  admin("/admin/subscriptions", "main/screens/SubscriptionsScreen.tsx"),
  admin("/admin/checks", "payments/checks/ChecksScreen.tsx"),
  admin("/admin/checks/new", "payments/checks/RecordCheckScreen.tsx"),
  admin("/admin/checks/:id", "main/screens/CheckScreen.tsx"),
  admin("/admin/plans/:id", "dues/plans/PlanScreen.tsx"),
  admin("/admin/firms", "panel/firms/FirmsScreen.tsx"),
  admin("/admin/firms/:id", "main/screens/FirmScreen.tsx"),
  admin("/admin/deposits", "payments/deposits/DepositsScreen.tsx"),
  admin("/admin/deposits/new", "payments/deposits/NewDepositScreen.tsx"),
  admin("/admin/deposits/:id", "main/screens/DepositScreen.tsx"),
  admin("/admin/deposits/:id/edit", "payments/deposits/EditDepositScreen.tsx"),
  admin("/admin/journal", "dues/ledger/journal/JournalScreen.tsx"),
  admin("/admin/receivables", "dues/ledger/receivables/ReceivablesScreen.tsx"),
  admin("/admin/debits", "dues/plans/DebitsScreen.tsx"),
  admin("/admin/payments", "payments/PaymentsScreen.tsx"),
  admin("/admin/reports", "office/reports/ExportsScreen.tsx"),
  admin("/admin/activity", "office/activity/ActivityScreen.tsx"),
  admin("/admin/settings", "main/settings/SettingsScreen.tsx"),
  admin("/admin/settings/:page", "main/settings/SettingsScreen.tsx"),
];

export type ScreenPath = (typeof screens)[number]["path"];
