import { useMutation } from "@tanstack/react-query";
import { Suspense } from "react";
import { Link } from "react-router";
import { lazyComponent } from "#kit/web/lazy-component.tsx";
import { useSession } from "#kit/web/session.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { Section } from "#kit/web/ui/layout.tsx";
import { PageHeading } from "#kit/web/ui/PageHeading.tsx";
import { Loading } from "#kit/web/ui/states.tsx";
import { confirmDiscard } from "#kit/web/unsaved-changes.tsx";
import { AppearanceChoice } from "./AppearanceChoice.tsx";
import { signOut } from "./sign-in.tsx";

const ShortcutList = lazyComponent(
  "The list of shortcuts",
  async () => (await import("#kit/web/ShortcutList.tsx")).ShortcutList,
);

const roles = { admin: "administrator", attorney: "attorney" };

export function AccountScreen() {
  const { name, role, networkName } = useSession();
  const leaving = useMutation({ mutationFn: signOut });
  return (
    <>
      <PageHeading
        title="Your account"
        about={`${name}, ${roles[role]} of ${networkName}`}
        actions={
          <Button
            pending={leaving.isPending}
            onClick={() => confirmDiscard(() => leaving.mutate())}
          >
            Sign out
          </Button>
        }
      />
      <Section title="Signing in">
        <p>
          <Link to="/account/security">Password, second factors and where you are signed in</Link>
        </p>
      </Section>
      <Section title="Appearance">
        <AppearanceChoice />
      </Section>
      {role === "admin" && (
        <Section title="Keyboard shortcuts" onScreenOnly>
          <Suspense fallback={<Loading />}>
            <ShortcutList />
          </Suspense>
        </Section>
      )}
    </>
  );
}
