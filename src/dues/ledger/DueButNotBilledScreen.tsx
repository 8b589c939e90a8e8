import { Link } from "react-router";
import { PageHeading } from "#kit/web/ui/PageHeading.tsx";
import { DueButNotBilled } from "./DueButNotBilled.tsx";

/** What billing has left out: nothing, unless something is wrong. */
export function DueButNotBilledScreen() {
  return (
    <>
      <PageHeading
        title="Due but not billed"
        about={
          <>
            What fell due by today and has no debit.{" "}
            <Link to="/admin/subscriptions">Billing runs</Link>
          </>
        }
      />
      <DueButNotBilled />
    </>
  );
}
