import { PageHeading } from "#web/ui/PageHeading.tsx";

export function SignInScreen() {
  return <PageHeading title="Sign in" />;
}
