import { QueryClientProvider, useQuery } from "@tanstack/react-query";
import {
  type ComponentType,
  isValidElement,
  type ReactNode,
  Suspense,
  useEffect,
  useRef,
  useState,
} from "react";
import {
  BrowserRouter,
  matchRoutes,
  Navigate,
  Outlet,
  type RouteObject,
  useLocation,
  useRoutes,
} from "react-router";
import { showsCardForm } from "#kit/domain/card-page.ts";
import { type SignedInUser, showSession } from "#kit/contract/session.ts";
import { ConfirmationDialog } from "#access/sign-in/ConfirmationDialog.tsx";
import { SecondFactorReminder } from "#access/sign-in/SecondFactorReminder.tsx";
import { SessionRecheck } from "#access/sign-in/SessionRecheck.tsx";
import { OtherUserSignedIn } from "#access/sign-in/OtherUserSignedIn.tsx";
import { FindAnything } from "#office/desk/search/FindAnything.tsx";
import { LiveUpdates } from "#outgoing/realtime/LiveUpdates.tsx";
import { ErrorBoundary } from "#kit/web/ErrorBoundary.tsx";
import { LeaveGuard } from "#kit/web/LeaveGuard.tsx";
import { lazyScreen } from "#kit/web/lazy-component.tsx";
import { reloadUnlessUnreachable } from "#kit/web/new-version.tsx";
import { NotFound } from "#kit/web/NotFound.tsx";
import { hasPreloadedAnswers } from "#kit/web/preloaded-answers.tsx";
import { setPageOwner } from "#kit/web/page-owner.tsx";
import { endpointQuery, queryClient } from "#kit/web/queries.tsx";
import { isServerReachable } from "#kit/web/server-status.tsx";
import { SessionContext, useSession } from "#kit/web/session.tsx";
import { PlainShell, Shell } from "#kit/web/Shell.tsx";
import { redirectToSignIn } from "#kit/web/sign-in-redirect.tsx";
import { ErrorState, Loading } from "#kit/web/ui/states.tsx";
import { hasUnsavedChanges } from "#kit/web/unsaved-changes.tsx";
import { adminLinks, linksOf } from "./navigation.tsx";
import { type Screen, screens } from "./screens.ts";

/** Each screen's code is loaded when it is first shown: attorneys never load administrators' screens. */
const files = import.meta.glob<Record<string, ComponentType>>([
  "../**/*Screen.tsx",
  "./*/*Screen.tsx",
  "!../kit/**",
]);

/** The screens by their files. */
const shown = new Map(screens.map(({ file }) => [file, lazyScreen(() => loadScreen(file))]));

async function loadScreen(file: string): Promise<ComponentType> {
  const name = file.slice(file.lastIndexOf("/") + 1, -".tsx".length);
  const found = (await files[file.replace(/^main\//, "./").replace(/^(?!\.)/, "../")]?.())?.[name];
  if (!found) throw new Error(`src/${file} exports no ${name}.`);
  return found;
}

/**
 * The card processor's hosts stand in the content security policy of the document that shows the card
 * form, and of no other: the way there and back loads the address again, once the server answers.
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

/** The routes to the screens that a viewer may see. */
const routesOf = (viewer: Screen["viewer"]) =>
  screens
    .filter((screen) => screen.viewer === viewer)
    .map(({ path, file }) => {
      const Shown = shown.get(file);
      return { path, element: Shown && <Shown /> };
    });

const routes: RouteObject[] = [
  { element: <SignedOut />, children: routesOf("anyone") },
  {
    element: <SignedIn />,
    children: [
      { path: "/", element: <StartPage /> },
      ...routesOf("signed-in"),
      { element: <RequireRole who="attorney" />, children: routesOf("attorney") },
      { element: <RequireRole who="admin" />, children: routesOf("admin") },
      { path: "*", element: <NotFound /> },
    ],
  },
];

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
  const needsSession = isShown(SignedIn) && hasPreloadedAnswers();
  await Promise.allSettled([
    [...shown.values()].find(isShown)?.preload(),
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
  const [isComplete, setComplete] = useState(hasPreloadedAnswers);
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
        <OtherUserSignedIn owner={owner} now={now} />
        <SessionRecheck ownerId={owner.id} isOwners={false} />
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
        {isOwners ? <LiveUpdates /> : <OtherUserSignedIn owner={owner} now={now} />}
        <SessionRecheck ownerId={owner.id} isOwners={isOwners} />
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
