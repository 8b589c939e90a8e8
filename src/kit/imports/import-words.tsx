import { emailedText, emailNotSetUpText, sendsMail } from "#kit/web/mail-delivery.tsx";
import type { ImportDone, ImportPreview } from "./contract.ts";

/** The screen's words for the imported records. */
export interface Nouns {
  one: string;
  many: string;
}

export const formatCount = (number: number) => number.toLocaleString("en-US");

export const counted = (number: number, { one, many }: Nouns) =>
  `${formatCount(number)} ${number === 1 ? one : many}`;

const rows = { one: "row", many: "rows" };
const attorneys = { one: "attorney", many: "attorneys" };

type Counts = Pick<ImportDone, "added" | "changed" | "unchanged" | "refused">;

/** Whether importing the file would change anything. */
export const hasChanges = ({ added, changed }: Counts) => added + changed > 0;

/** The import button: "Add 212 and change 8 attorneys". */
export function importButton(plan: ImportPreview, nouns: Nouns): string {
  if (plan.refused > 0) return `Import the ${counted(plan.rows - plan.refused, good)}`;
  if (plan.changed === 0) return `Add ${counted(plan.added, nouns)}`;
  if (plan.added === 0) return `Change ${counted(plan.changed, nouns)}`;
  return `Add ${formatCount(plan.added)} and change ${counted(plan.changed, nouns)}`;
}

const good = { one: "good row", many: "good rows" };

/** What the import will do, in numbers. */
export function previewSentence(plan: ImportPreview, nouns: Nouns): string {
  const { added, changed, unchanged, refused, suspended, lifted, firms, emailsAsked } = plan;
  const does = listed([
    added > 0 && `${counted(added, nouns)} will be added`,
    changed > 0 &&
      `${added > 0 ? formatCount(changed) : `${counted(changed, nouns)} will be`} changed`,
    unchanged > 0 && `${formatCount(unchanged)} left as ${unchanged === 1 ? "it is" : "they are"}`,
  ]);
  const sentences = [
    `${does}.`,
    firms > 0 && `${counted(firms, { one: "firm is", many: "firms are" })} new.`,
    emailsAsked > 0 && confirmedByMail(emailsAsked),
    refused > 0 && `${counted(refused, rows)} will be left out.`,
    suspended > 0 &&
      `${counted(suspended, attorneys)} will be suspended for overdue reports. ${emailedText(suspended === 1 ? "The attorney is emailed." : "They are emailed.")}`,
    lifted > 0 && `${counted(lifted, { one: "suspension", many: "suspensions" })} will be lifted.`,
  ];
  return sentences.filter(Boolean).join(" ");
}

/** Addresses of accounts in use change only once confirmed. */
const confirmedByMail = (emails: number): string =>
  emails === 1
    ? `1 email address changes only once it is confirmed by ${linkWords()}, because the attorney signs in with it.${keptWords()}`
    : `${formatCount(emails)} email addresses change only once they are confirmed by ${linkWords()}, because the attorneys sign in with them.${keptWords()}`;

const linkWords = () => (sendsMail() ? "email" : "a link");
const keptWords = () => (sendsMail() ? "" : ` ${emailNotSetUpText}`);

/** Says that rows have other details than known records, and why those stay. */
export function keptDetailsSentence({ keptDetails }: ImportPreview, { many }: Nouns): string {
  const say = counted(keptDetails, { one: "row has", many: "rows have" });
  return `This network does not permit editing of ${many}, so recorded names and details stay as they are. ${say} other details.`;
}

/** What the import did. */
export function resultSentence(done: ImportDone, nouns: Nouns): string {
  const { added, changed, unchanged, refused, suspended, lifted, firms, emailsAsked } = done;
  const did = listed([
    added > 0 && `${counted(added, nouns)} added`,
    changed > 0 && `${added > 0 ? formatCount(changed) : counted(changed, nouns)} changed`,
    unchanged > 0 &&
      `${formatCount(unchanged)} left as ${unchanged === 1 ? "it was" : "they were"}`,
    refused > 0 && `${counted(refused, rows)} left out`,
  ]);
  const sentences = [
    `${did}.`,
    firms > 0 && `${counted(firms, { one: "firm", many: "firms" })} added.`,
    emailsAsked > 0 &&
      `${counted(emailsAsked, { one: "email address is waiting", many: "email addresses are waiting" })} to be confirmed by ${linkWords()}.${keptWords()}`,
    suspended > 0 && `${counted(suspended, attorneys)} suspended for overdue reports.`,
    lifted > 0 && `${counted(lifted, { one: "suspension", many: "suspensions" })} lifted.`,
  ];
  return sentences.filter(Boolean).join(" ");
}

/** "a", "a and b", "a, b and c", without the false ones. */
export function listed(parts: (string | false)[]): string {
  const there = parts.filter((part) => part !== false);
  const last = there.pop() ?? "";
  return there.length > 0 ? `${there.join(", ")} and ${last}` : last;
}
