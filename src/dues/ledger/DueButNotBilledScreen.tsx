import { Link } from "react-router";
import { PageHeading } from "#kit/web/ui/PageHeading.tsx";
import { DueButNotBilled } from "./DueButNotBilled.tsx";

/** Periods that are due and have no debit. Empty unless something is wrong. */
export function DueButNotBilledScreen() {
  return (
    <>
      <PageHeading
        title="Due but not billed"
        about={
          <>
            Subscription periods due by today that have no debit.{" "}
            <Link to="/admin/subscriptions">Billing runs</Link>
          </>
        }
      />
      <DueButNotBilled />
    </>
  );
}
