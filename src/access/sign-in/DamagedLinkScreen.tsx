import { PageHeading } from "#kit/web/ui/PageHeading.tsx";
import { NewLink } from "./NewLink.tsx";

/**
 * Where a link leads that a mail program has damaged, and whose code may stand in the path: it is not led to signing
 * in, which would take that address along.
 */
export function DamagedLinkScreen() {
  return (
    <>
      <PageHeading title="This link is damaged" />
      <p>Open it from the mail again, or copy all of it into the address bar.</p>
      <NewLink />
    </>
  );
}
