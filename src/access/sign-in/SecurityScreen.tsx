import { useState } from "react";
import { useSession } from "#kit/web/session.tsx";
import { Section } from "#kit/web/ui/layout.tsx";
import { PageHeading } from "#kit/web/ui/PageHeading.tsx";
import { OwnSessions } from "./OwnSessions.tsx";
import { AuthenticatorApp } from "./AuthenticatorApp.tsx";
import { Passkeys } from "./Passkeys.tsx";
import { PasswordForm } from "./PasswordForm.tsx";
import type { WithNotice } from "./security-notice.tsx";

/** The user's ways to sign in, and sessions. Only the section changed last shows a notice. */
export function SecurityScreen() {
  const [last, setLast] = useState<{ section: string; done: string | null } | null>(null);
  const noticeOf = (section: string): WithNotice => ({
    done: last?.section === section ? last.done : null,
    onDone: (done) => setLast({ section, done }),
  });
  // A required second factor comes first.
  const mustSetUp = useSession().secondFactorDueAt !== null;
  const password = (
    <Section title="Change password">
      <PasswordForm {...noticeOf("password")} />
    </Section>
  );
  return (
    <>
      <PageHeading
        title="Signing in"
        about="How you prove who you are, and where you are signed in."
      />
      {mustSetUp ? null : password}
      <Section title="Authenticator app">
        <AuthenticatorApp {...noticeOf("app")} />
      </Section>
      <Section title="Passkeys">
        <Passkeys {...noticeOf("passkeys")} />
      </Section>
      {mustSetUp && password}
      <Section title="Where you are signed in">
        <OwnSessions {...noticeOf("sessions")} />
      </Section>
    </>
  );
}
