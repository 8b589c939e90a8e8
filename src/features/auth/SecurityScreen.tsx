import { Section } from "#web/ui/layout.tsx";
import { PageHeading } from "#web/ui/PageHeading.tsx";
import { OwnSessions } from "./OwnSessions.tsx";
import { AuthenticatorApp } from "./AuthenticatorApp.tsx";
import { Passkeys } from "./Passkeys.tsx";
import { PasswordForm } from "./PasswordForm.tsx";

/** With what one signs in, and where one is signed in. */
export function SecurityScreen() {
  return (
    <>
      <PageHeading
        title="Signing in"
        about="How you prove who you are, and where you are signed in."
      />
      <Section title="Change password">
        <PasswordForm />
      </Section>
      <Section title="Authenticator app">
        <AuthenticatorApp />
      </Section>
      <Section title="Passkeys">
        <Passkeys />
      </Section>
      <Section title="Where you are signed in">
        <OwnSessions />
      </Section>
    </>
  );
}
