import { Link } from "react-router";
import { PageHeading } from "#kit/web/ui/PageHeading.tsx";

/** For addresses that do not exist, or not for the signed-in user. */
export function NotFound() {
  return (
    <>
      <PageHeading title="Page not found" />
      <p>
        This page does not exist, or you do not have access to it. Check the address, or{" "}
        <Link to="/">go to your start page</Link>.
      </p>
    </>
  );
}
