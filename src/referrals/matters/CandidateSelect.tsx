import type { Page } from "#kit/contract/page.ts";
import { formatDay } from "#kit/domain/day.ts";
import { type Choice, listChoices } from "#kit/list/choices-contract.ts";
import { choiceLabel } from "#kit/list/RecordSelect.tsx";
import { FoundSelect } from "#kit/list/FoundSelect.tsx";
import { endpointQuery } from "#kit/web/queries.tsx";
import type { FieldProps } from "#kit/web/ui/Field.tsx";
import type { SearchOption } from "#kit/web/ui/SearchSelect.tsx";
import { type Candidate, listCandidates } from "./contract.ts";

/** As many as a list that is looked through by eye can hold; typing finds the others. */
const shown = 50;

/**
 * Who may receive a referral, with what speaks for them: where they are, how many they have, and when the last
 * one was. The best match of the name stands first; with nothing typed, who has waited longest.
 */
export function CandidateSelect(props: FieldProps<string | null>) {
  return (
    <FoundSelect
      {...props}
      placeholder="Choose an attorney"
      find={(search) => ({
        ...endpointQuery(listCandidates, { query: { page: 1, per_page: shown, search } }),
        select: ({ items }: Page<Candidate>) => items,
      })}
      optionOf={asOption}
      hasOtherName
      findName={(id) => ({
        ...endpointQuery(listChoices, { query: { of: "attorneys", search: "", id: Number(id) } }),
        select: ([choice]: Choice[]) => choice && choiceLabel(choice, "attorneys"),
      })}
    />
  );
}

function asOption({
  id,
  name,
  city,
  openReferrals,
  lastReferredOn,
  foundBy,
}: Candidate): SearchOption {
  const last =
    lastReferredOn === null ? "never referred to" : `last referral ${formatDay(lastReferredOn)}`;
  const facts = [
    foundBy !== null && `found by ${foundBy}`,
    city,
    `${openReferrals.toLocaleString("en-US")} open`,
    last,
  ].filter(Boolean);
  return { value: String(id), label: `${name} (${facts.join(", ")})` };
}
