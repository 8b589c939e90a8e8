import { PageHeading } from "#kit/web/ui/PageHeading.tsx";
import { NewLink } from "./NewLink.tsx";

/**
 * The page behind a link damaged by a mail program, whose code may be in the path. It does not redirect to sign-in,
 * which would carry that address along.
 */
export function DamagedLinkScreen() {
  return (
    <>
      <PageHeading title="This link is damaged" />
      <p>Open it from the email again, or copy the whole link into the address bar.</p>
      <NewLink />
    </>
  );
}
