import { PageHeading } from "#web/ui/PageHeading.tsx";

export function SignInLinkScreen() {
  return <PageHeading title="Choose a password" />;
}
