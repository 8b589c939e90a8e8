import { Link } from "react-router";
import { PageHeading } from "#kit/web/ui/PageHeading.tsx";

/** For addresses that lead nowhere, or nowhere for the person who is signed in. */
export function NotFound() {
  return (
    <>
      <PageHeading title="Page not found" />
      <p>
        There is nothing at this address, or it is not yours to see. Check the address, or{" "}
        <Link to="/">go to your start page</Link>.
      </p>
    </>
  );
}
