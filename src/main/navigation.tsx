import { lazy, Suspense } from "react";
import type { SignedInUser } from "#kit/contract/session.ts";
import type { LinkGroup } from "#kit/web/Shell.tsx";

/** Only administrators load it. Without it the navigation still works. */
const PendingChecksBadge = lazy(async () => {
  try {
    return {
      default: (await import("#payments/checks/PendingChecksBadge.tsx")).PendingChecksBadge,
    };
  } catch {
    return { default: () => null };
  }
});

const pendingChecks = (
  <Suspense>
    <PendingChecksBadge />
  </Suspense>
);

/** Most of administrators' screens have the name of their address. */
const link = (label: string, to = `/admin/${label.toLowerCase()}`) => ({ to, label });

/** Each role's screens, in the order of the navigation. Groups have names where there are several. */
export const adminLinks: LinkGroup[] = [
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

/** A user who must set up a second factor first can open nothing but the account. */
export function linksOf({ role, lacksSecondFactor }: SignedInUser): LinkGroup[] {
  if (lacksSecondFactor) return [];
  return role === "admin" ? adminLinks : attorneyLinks;
}
