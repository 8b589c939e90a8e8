/** A page in the navigation. */
export interface Page {
  to: string;
  label: string;
}

/** A page or action, with other words that people search for. */
interface Place extends Page {
  words?: string;
}

const actions: Place[] = [
  { label: "Record a check", to: "/admin/checks/new", words: "payment pay received cheque money" },
  { label: "Record a referral", to: "/admin/matters/new", words: "client matter case intake new" },
  { label: "Add an attorney", to: "/admin/attorneys?add", words: "lawyer new panel member" },
  { label: "Add a firm", to: "/admin/firms?add", words: "law office new" },
  { label: "Make a deposit", to: "/admin/deposits/new", words: "bank checks slip new" },
  {
    label: "Subscribe attorneys to a plan",
    to: "/admin/subscriptions",
    words: "all lawyers enroll enrol dues billing",
  },
  { label: "Create a report", to: "/admin/reports", words: "export csv download create" },
  { label: "Import attorneys", to: "/admin/attorneys/import", words: "lawyers csv file upload" },
  {
    label: "Import referrals",
    to: "/admin/matters/import",
    words: "matters clients csv file upload",
  },
];

/** Keyed by a page's address. */
const wordsOfPages: Record<string, string> = {
  "/admin": "home start overview dashboard",
  "/admin/attorneys": "lawyers panel roster members",
  "/admin/matters": "matters clients cases",
  "/admin/subscriptions": "plans dues billing",
  "/admin/checks": "payments pending approve confirm cheques",
  "/admin/deposits": "bank slips",
  "/admin/receivables": "owed owes balances aging overdue",
  "/admin/journal": "books close closing bookkeeping accounts entries trial balance",
  "/admin/firms": "law offices",
  "/admin/reports": "exports csv downloads",
  "/admin/activity": "history audit log changes who",
  "/admin/settings": "suspension card processor mail people administrators",
  "/account": "password sign out appearance dark",
};

export const placesOf = (pages: readonly Page[]): Place[] => [
  ...actions,
  ...[...pages, { label: "Your account", to: "/account" }].map((page) => ({
    ...page,
    words: wordsOfPages[page.to],
  })),
];

/** Places with a label that begins with the typed words, and those with other words that do. */
export function matchingPlaces(
  places: readonly Place[],
  typed: string,
): { named: Place[]; related: Place[] } {
  const text = typed.trim().toLowerCase();
  const words = text.split(/\s+/);
  const begins = (where: string) =>
    words.every((word) => ` ${where.toLowerCase()}`.includes(` ${word}`));
  const isStart = ({ label }: Place) => label.toLowerCase().startsWith(text);
  const named = places.filter(({ label }) => begins(label));
  const related = places.filter(
    (place) => !named.includes(place) && begins(`${place.label} ${place.words ?? ""}`),
  );
  return {
    named: named.toSorted((a, b) => Number(isStart(b)) - Number(isStart(a))).slice(0, most),
    related: text.length < 3 ? [] : related.slice(0, most), // one or two letters match too much
  };
}

const most = 5;
