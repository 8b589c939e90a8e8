import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { endpointQuery } from "#web/queries.tsx";
import { EmptyState } from "#web/ui/states.tsx";
import { ActivityTable } from "./ActivityTable.tsx";
import { listActivity } from "./contract.ts";

const initialCount = 10;

/** Everything about an attorney, or one record of a kind. */
type Subject =
  | { attorney_id: number }
  | { record_type: "matter" | "received check" | "deposit"; record_id: number };

/** The newest changes of a record, on its own page. */
export function History({ of: subject }: { of: Subject }) {
  const list = useQuery(
    endpointQuery(listActivity, {
      query: { page: 1, per_page: initialCount, who: "", record_type: "", ...subject },
    }),
  );
  const total = list.data?.total ?? 0;
  return (
    <>
      <ActivityTable
        caption="History"
        ofOneRecord={"record_type" in subject}
        list={list}
        empty={<EmptyState title="Nothing has been changed yet" />}
      />
      {total > initialCount && (
        <p>
          <Link to={addressOf(subject)}>{`All ${total.toLocaleString("en-US")} changes`}</Link>
        </p>
      )}
    </>
  );
}

function addressOf(subject: Subject): string {
  return "attorney_id" in subject
    ? `/admin/activity?attorney=${subject.attorney_id}`
    : `/admin/activity?type=${subject.record_type}&record=${subject.record_id}`;
}
