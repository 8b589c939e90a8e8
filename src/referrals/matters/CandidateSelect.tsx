import type { Page } from "#kit/contract/page.ts";
import { formatDay } from "#kit/domain/day.ts";
import { type Choice, listChoices } from "#kit/list/choices-contract.ts";
import { choiceLabel } from "#kit/list/RecordSelect.tsx";
import { FoundSelect } from "#kit/list/FoundSelect.tsx";
import { endpointQuery } from "#kit/web/queries.tsx";
import type { FieldProps } from "#kit/web/ui/Field.tsx";
import type { SearchOption } from "#kit/web/ui/SearchSelect.tsx";
import { type Candidate, listCandidates } from "./contract.ts";

/** Few enough to read through; typing finds the others. */
const shown = 50;

/** An attorney who may receive a referral. Best match of the name first; with nothing typed, longest wait first. */
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
    lastReferredOn === null ? "no referral yet" : `last referral ${formatDay(lastReferredOn)}`;
  const facts = [
    foundBy !== null && `found by ${foundBy}`,
    city,
    `${openReferrals.toLocaleString("en-US")} open`,
    last,
  ].filter(Boolean);
  return { value: String(id), label: `${name} (${facts.join(", ")})` };
}
