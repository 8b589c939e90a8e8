import { useMutation } from "@tanstack/react-query";
import { emailedText } from "#kit/web/mail-delivery.tsx";
import { Button } from "#kit/web/ui/Button.tsx";

interface SignOutEverywhereButtonProps {
  name: string;
  signOut: () => Promise<{ ended: number }>;
  onDone: (said: string) => void;
}

/** For a lost device, or a session that someone else may be using. */
export function SignOutEverywhereButton({ name, signOut, onDone }: SignOutEverywhereButtonProps) {
  const signingOut = useMutation({
    mutationFn: signOut,
    onSuccess: ({ ended }) => onDone(noticeOf(name, ended)),
  });
  const question = `Sign ${name} out everywhere? Every device will be signed out immediately. They can sign in again. ${emailedText("They will get an email.")}`;
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

function noticeOf(name: string, ended: number): string {
  if (ended === 0) return `${name} was not signed in anywhere.`;
  return `${name} was signed out everywhere (${ended} ${ended === 1 ? "session" : "sessions"}). ${emailedText("They will get an email.")}`;
}
