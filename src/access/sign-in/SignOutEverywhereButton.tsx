import { useMutation } from "@tanstack/react-query";
import { mailedWords } from "#kit/web/mail-delivery.tsx";
import { Button } from "#kit/web/ui/Button.tsx";

interface SignOutEverywhereButtonProps {
  name: string;
  signOut: () => Promise<{ ended: number }>;
  onDone: (said: string) => void;
}

/** For a device that was lost, or a session that somebody else may have. */
export function SignOutEverywhereButton({ name, signOut, onDone }: SignOutEverywhereButtonProps) {
  const signingOut = useMutation({
    mutationFn: signOut,
    onSuccess: ({ ended }) => onDone(said(name, ended)),
  });
  const question = `Sign ${name} out everywhere? Every device is signed out at once. They can sign in again. ${mailedWords("They are mailed.")}`;
  return (
    <Button
      small
      pending={signingOut.isPending}
      label={`Sign ${name} out everywhere`}
      onClick={() => {
        if (window.confirm(question)) signingOut.mutate();
      }}
    >
      Sign out everywhere
    </Button>
  );
}

function said(name: string, ended: number): string {
  if (ended === 0) return `${name} was not signed in anywhere.`;
  return `${name} is signed out everywhere (${ended} ${ended === 1 ? "session" : "sessions"}). ${mailedWords("They are mailed.")}`;
}
