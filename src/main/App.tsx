import { QueryClientProvider, useQuery } from "@tanstack/react-query";
import {
  type ComponentType,
  isValidElement,
  lazy,
  type ReactNode,
  Suspense,
  useEffect,
  useRef,
  useState,
} from "react";
import {
  BrowserRouter,
  createRoutesFromElements,
  matchRoutes,
  Navigate,
  Outlet,
  Route,
  useLocation,
  useRoutes,
} from "react-router";
import { showsCardForm } from "#kit/domain/card-page.ts";
import { type SignedInUser, showSession } from "#access/sign-in/contract.ts";
import { ConfirmationDialog } from "#access/sign-in/ConfirmationDialog.tsx";
import { SecondFactorReminder } from "#access/sign-in/SecondFactorReminder.tsx";
import { SessionDoubt } from "#access/sign-in/SessionDoubt.tsx";
import { WhoIsThere } from "#access/sign-in/WhoIsThere.tsx";
import { FindAnything } from "#office/desk/search/FindAnything.tsx";
import { Live } from "#outgoing/realtime/Live.tsx";
import { ErrorBoundary } from "#kit/web/ErrorBoundary.tsx";
import { LeaveGuard } from "#kit/web/LeaveGuard.tsx";
import { type LazyComponent, lazyScreen } from "#kit/web/lazy-component.tsx";
import { reloadUnlessUnreachable } from "#kit/web/new-version.tsx";
import { NotFound } from "#kit/web/NotFound.tsx";
import { pageHasAnswers } from "#kit/web/page-answers.tsx";
import { setPageOwner } from "#kit/web/page-owner.tsx";
import { endpointQuery, queryClient } from "#kit/web/queries.tsx";
import { isServerReachable } from "#kit/web/server-status.tsx";
import { SessionContext, useSession } from "#kit/web/session.tsx";
import { type LinkGroup, PlainShell, Shell } from "#kit/web/Shell.tsx";
import { redirectToSignIn } from "#kit/web/sign-in-redirect.tsx";
import { ErrorState, Loading } from "#kit/web/ui/states.tsx";
import { hasUnsavedChanges } from "#kit/web/unsaved-changes.tsx";

const screens: LazyComponent<object>[] = [];

/** A screen whose code is loaded when it is first shown; attorneys never load administrators' screens. */
function screen<Name extends string>(
  name: Name,
  load: () => Promise<Record<Name, ComponentType>>,
): LazyComponent<object> {
  const made = lazyScreen(async () => (await load())[name]);
  screens.push(made);
  return made;
}

const SignInScreen = screen("SignInScreen", () => import("#access/sign-in/SignInScreen.tsx"));
const SignInLinkScreen = screen(
  "SignInLinkScreen",
  () => import("#access/sign-in/SignInLinkScreen.tsx"),
);
const DamagedLinkScreen = screen(
  "DamagedLinkScreen",
  () => import("#access/sign-in/SignInLinkScreen.tsx"),
);
const EmailChangeScreen = screen(
  "EmailChangeScreen",
  () => import("#access/sign-in/EmailChangeScreen.tsx"),
);
const AccountScreen = screen("AccountScreen", () => import("#access/sign-in/AccountScreen.tsx"));
const SecurityScreen = screen("SecurityScreen", () => import("#access/sign-in/SecurityScreen.tsx"));
const DashboardScreen = screen("DashboardScreen", () => import("#dashboard/DashboardScreen.tsx"));
const TodayScreen = screen("TodayScreen", () => import("#office/desk/today/TodayScreen.tsx"));
const CardPaymentsScreen = screen(
  "CardPaymentsScreen",
  () => import("#cards/CardPaymentsScreen.tsx"),
);
const CardPaymentScreen = screen("CardPaymentScreen", () => import("#cards/CardPaymentScreen.tsx"));
const DueButNotBilledScreen = screen(
  "DueButNotBilledScreen",
  () => import("#dues/ledger/DueButNotBilledScreen.tsx"),
);
const MailScreen = screen("MailScreen", () => import("#outgoing/mail/MailScreen.tsx"));
const AttorneysScreen = screen("AttorneysScreen", () => import("#people/AttorneysScreen.tsx"));
const AttorneyScreen = screen("AttorneyScreen", () => import("#people/AttorneyScreen.tsx"));
const ImportAttorneysScreen = screen(
  "ImportAttorneysScreen",
  () => import("#people/ImportAttorneysScreen.tsx"),
);
const ImportMattersScreen = screen(
  "ImportMattersScreen",
  () => import("#referrals/matters/ImportMattersScreen.tsx"),
);
const SubscriptionsScreen = screen(
  "SubscriptionsScreen",
  () => import("#dues/plans/SubscriptionsScreen.tsx"),
);
const PlanScreen = screen("PlanScreen", () => import("#dues/plans/PlanScreen.tsx"));
const FirmsScreen = screen("FirmsScreen", () => import("#panel/firms/FirmsScreen.tsx"));
const FirmScreen = screen("FirmScreen", () => import("#panel/firms/FirmScreen.tsx"));
const ExportsScreen = screen("ExportsScreen", () => import("#office/reports/ExportsScreen.tsx"));
const MattersScreen = screen("MattersScreen", () => import("#referrals/matters/MattersScreen.tsx"));
const RecordMatterScreen = screen(
  "RecordMatterScreen",
  () => import("#referrals/matters/RecordMatterScreen.tsx"),
);
const MatterScreen = screen("MatterScreen", () => import("#referrals/matters/MatterScreen.tsx"));
const OwnMattersScreen = screen(
  "OwnMattersScreen",
  () => import("#referrals/matters/OwnMattersScreen.tsx"),
);
const ActivityScreen = screen(
  "ActivityScreen",
  () => import("#office/activity/ActivityScreen.tsx"),
);
const SettingsScreen = screen("SettingsScreen", () => import("#main/settings/SettingsScreen.tsx"));
const ChecksScreen = screen("ChecksScreen", () => import("#payments/checks/ChecksScreen.tsx"));
const RecordCheckScreen = screen(
  "RecordCheckScreen",
  () => import("#payments/checks/RecordCheckScreen.tsx"),
);
const CheckScreen = screen("CheckScreen", () => import("#payments/checks/CheckScreen.tsx"));
const DepositsScreen = screen(
  "DepositsScreen",
  () => import("#payments/deposits/DepositsScreen.tsx"),
);
const NewDepositScreen = screen(
  "NewDepositScreen",
  () => import("#payments/deposits/NewDepositScreen.tsx"),
);
const DepositScreen = screen("DepositScreen", () => import("#payments/deposits/DepositScreen.tsx"));
const EditDepositScreen = screen(
  "EditDepositScreen",
  () => import("#payments/deposits/EditDepositScreen.tsx"),
);
const JournalScreen = screen(
  "JournalScreen",
  () => import("#dues/ledger/journal/JournalScreen.tsx"),
);
const ReceivablesScreen = screen(
  "ReceivablesScreen",
  () => import("#dues/ledger/receivables/ReceivablesScreen.tsx"),
);
const DebitsScreen = screen("DebitsScreen", () => import("#dues/ledger/DebitsScreen.tsx"));
const PaymentsScreen = screen("PaymentsScreen", () => import("#payments/PaymentsScreen.tsx"));
const StatementScreen = screen(
  "StatementScreen",
  () => import("#dues/ledger/statements/StatementScreen.tsx"),
);
const ReceiptScreen = screen("ReceiptScreen", () => import("#payments/ReceiptScreen.tsx"));

/**
 * The card processor's hosts stand in the content security policy of the document that shows the card
 * form, and of no other: the way there and back loads the address anew, once the server answers.
 */
const ScreenOfOtherDocument = lazyScreen(async () => {
  if (!(await isServerReachable())) throw new Error("The server could not be reached.");
  window.location.reload();
  return await new Promise<never>(() => undefined); // the page is leaving
});
const hasCardForm = showsCardForm(window.location.pathname);

/** The start page shows nothing: it leads to another one. */
const isOfThisDocument = (pathname: string) =>
  pathname === "/" || showsCardForm(pathname) === hasCardForm;

/** Only administrators load it; without it the navigation is as good as whole. */
const PendingChecks = lazy(async () => {
  try {
    return { default: (await import("#payments/checks/PendingChecks.tsx")).PendingChecks };
  } catch {
    return { default: () => null };
  }
});

const pendingChecks = (
  <Suspense>
    <PendingChecks />
  </Suspense>
);

/** Most of administrators' screens have the name of their address. */
const link = (label: string, to = `/admin/${label.toLowerCase()}`) => ({ to, label });

/** Each role's screens, in the order of the navigation. Groups have names where there are several. */
const adminLinks: LinkGroup[] = [
  { links: [link("Today", "/admin")] },
  {
    name: "People",
    links: [link("Attorneys"), link("Referrals", "/admin/matters"), link("Firms")],
  },
  {
    name: "Money",
    links: [
      link("Subscriptions"),
      link("Debits"),
      link("Payments"),
      { ...link("Checks"), detail: pendingChecks },
      link("Deposits"),
      link("Receivables"),
      link("Journal"),
    ],
  },
  {
    name: "Office",
    links: [link("Reports"), link("Activity"), link("Settings")],
  },
];
const attorneyLinks: LinkGroup[] = [
  { links: [link("Dashboard", "/dashboard"), link("Referrals", "/dashboard/referrals")] },
];

/** The screen of an address. */
const at = (path: string, Shown: LazyComponent<object>) => (
  <Route path={path} element={<Shown />} />
);

const routes = createRoutesFromElements(
  <>
    <Route element={<SignedOut />}>
      {at("/sign-in", SignInScreen)}
      {at("/sign-in/link", SignInLinkScreen)}
      {at("/sign-in/address", EmailChangeScreen)}
      {at("/sign-in/*", DamagedLinkScreen)}
    </Route>
    <Route element={<SignedIn />}>
      <Route index element={<StartPage />} />
      {at("/account", AccountScreen)}
      {at("/account/security", SecurityScreen)}
      {at("/receipts/:id", ReceiptScreen)}
      {at("/statements/:id", StatementScreen)}
      <Route element={<RequireRole who="attorney" />}>
        {at("/dashboard", DashboardScreen)}
        {at("/dashboard/referrals", OwnMattersScreen)}
      </Route>
      <Route path="/admin" element={<RequireRole who="admin" />}>
        <Route index element={<TodayScreen />} />
        {at("card-payments", CardPaymentsScreen)}
        {at("card-payments/:id", CardPaymentScreen)}
        {at("due-but-not-billed", DueButNotBilledScreen)}
        {at("mail", MailScreen)}
        {at("attorneys", AttorneysScreen)}
        {at("attorneys/import", ImportAttorneysScreen)}
        {at("attorneys/:id", AttorneyScreen)}
        {at("matters", MattersScreen)}
        {at("matters/new", RecordMatterScreen)}
        {at("matters/import", ImportMattersScreen)}
        {at("matters/:id", MatterScreen)}
        {at("subscriptions", SubscriptionsScreen)}
        {at("checks", ChecksScreen)}
        {at("checks/new", RecordCheckScreen)}
        {at("checks/:id", CheckScreen)}
        {at("plans/:id", PlanScreen)}
        {at("firms", FirmsScreen)}
        {at("firms/:id", FirmScreen)}
        {at("deposits", DepositsScreen)}
        {at("deposits/new", NewDepositScreen)}
        {at("deposits/:id", DepositScreen)}
        {at("deposits/:id/edit", EditDepositScreen)}
        {at("journal", JournalScreen)}
        {at("receivables", ReceivablesScreen)}
        {at("debits", DebitsScreen)}
        {at("payments", PaymentsScreen)}
        {at("reports", ExportsScreen)}
        {at("activity", ActivityScreen)}
        {at("settings", SettingsScreen)}
        {at("settings/:page", SettingsScreen)}
      </Route>
      <Route path="*" element={<NotFound />} />
    </Route>
  </>,
);

export function App() {
  return (
    <ErrorBoundary>
      <QueryClientProvider client={queryClient}>
        <BrowserRouter>
          <Screens />
        </BrowserRouter>
      </QueryClientProvider>
    </ErrorBoundary>
  );
}

function Screens() {
  return useRoutes(routes);
}

/**
 * Load what the first screen of an address needs before the first render, so that it renders once: its
 * code, and who is signed in. Both come with the page; the screen itself waits for anything else.
 */
export async function prepareFirstScreen(pathname: string): Promise<void> {
  const elements = (matchRoutes(routes, pathname) ?? []).map(({ route }) => route.element);
  const isShown = (part: ComponentType) =>
    elements.some((element) => isValidElement(element) && element.type === part);
  const needsSession = isShown(SignedIn) && pageHasAnswers();
  await Promise.allSettled([
    screens.find(isShown)?.preload(),
    needsSession && queryClient.prefetchQuery(endpointQuery(showSession)),
  ]);
}

function SignedOut() {
  return (
    <PlainShell>
      <Suspense fallback={<Loading />}>
        <Outlet />
      </Suspense>
    </PlainShell>
  );
}

function SignedIn() {
  // Already fetched before the first render, where the page holds the answer.
  const session = useQuery({ ...endpointQuery(showSession), refetchOnMount: false });
  const { pathname, search } = useLocation();
  const now = session.data?.user ?? null;
  const [isComplete, setComplete] = useState(pageHasAnswers);
  const [owner, setOwner] = useState(now);
  if (now && now !== owner && (!owner || now.id === owner.id)) setOwner(now);
  if (session.isPending) return <PlainLoading />;
  if (!session.data) {
    return (
      <PlainShell>
        <ErrorState
          title="Referral Network could not be loaded"
          error={session.error}
          pending={session.isFetching}
          onRetry={() => void session.refetch()}
        />
      </PlainShell>
    );
  }
  if (!owner)
    return <Navigate replace to={`/sign-in?next=${encodeURIComponent(pathname + search)}`} />;
  if (!isComplete) return <ReloadForSession onStay={() => setComplete(true)} />;
  const isOwners = now?.id === owner.id;
  // With nothing typed there is nothing to keep of the page: it is gone, not only hidden.
  if (!isOwners && !hasUnsavedChanges())
    return now ? (
      <PlainShell>
        <WhoIsThere owner={owner} now={now} />
        <SessionDoubt ownerId={owner.id} isOwners={false} />
      </PlainShell>
    ) : (
      <Redirecting by={redirectToSignIn} />
    );
  return (
    <SessionContext value={owner}>
      <SignedInPage of={owner}>
        <Suspense fallback={<Loading />}>
          {isOfThisDocument(pathname) ? <Outlet /> : <ScreenOfOtherDocument />}
        </Suspense>
        <ConfirmationDialog />
        {isOwners ? <Live /> : <WhoIsThere owner={owner} now={now} />}
        <SessionDoubt ownerId={owner.id} isOwners={isOwners} />
      </SignedInPage>
    </SessionContext>
  );
}

/** The page belongs to the user who was signed in when it was loaded, even after the session ended. */
function SignedInPage({ of: user, children }: { of: SignedInUser; children: ReactNode }) {
  const { id } = user;
  const isAdmin = user.role === "admin" && !user.lacksSecondFactor;
  useEffect(() => setPageOwner(id), [id]);
  return (
    <Shell
      networkName={user.networkName}
      userName={user.name}
      groups={linksOf(user)}
      tools={isAdmin && <FindAnything pages={adminLinks.flatMap(({ links }) => links)} />}
    >
      <SecondFactorReminder />
      <LeaveGuard>{children}</LeaveGuard>
    </Shell>
  );
}

/** Nothing but the account is open to who must set up a second factor first. */
function linksOf({ role, lacksSecondFactor }: SignedInUser): LinkGroup[] {
  if (lacksSecondFactor) return [];
  return role === "admin" ? adminLinks : attorneyLinks;
}

function Redirecting({ by: leave }: { by: () => void }) {
  useEffect(() => leave(), [leave]);
  return <PlainLoading />;
}

/**
 * The page was served while the server could not know the user, so its content security policy lacks the
 * hosts of the user's own pages, such as a card processor's: reload it.
 */
function ReloadForSession({ onStay }: { onStay: () => void }) {
  const begun = useRef(false);
  useEffect(() => {
    if (begun.current) return;
    begun.current = true;
    void reloadUnlessUnreachable({ wasAway: false }).then(onStay);
  }, [onStay]);
  return <PlainLoading />;
}

function PlainLoading() {
  return (
    <PlainShell>
      <Loading />
    </PlainShell>
  );
}

/** Screens of another role answer NotFound; those of who must set up a second factor first lead there. */
function RequireRole({ who }: { who: SignedInUser["role"] }) {
  const { role, lacksSecondFactor } = useSession();
  if (lacksSecondFactor) return <Navigate replace to="/account/security" />;
  return role === who ? <Outlet /> : <NotFound />;
}

function StartPage() {
  const { role } = useSession();
  return <Navigate replace to={role === "admin" ? "/admin" : "/dashboard"} />;
}
