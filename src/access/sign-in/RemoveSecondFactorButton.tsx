import { useMutation } from "@tanstack/react-query";
import { mailedWords } from "#kit/web/mail-delivery.tsx";
import { Button } from "#kit/web/ui/Button.tsx";

interface RemoveSecondFactorButtonProps {
  name: string;
  remove: () => Promise<unknown>;
  onDone: (said: string) => void;
}

/** For who has lost the phone and the recovery codes. */
export function RemoveSecondFactorButton({ name, remove, onDone }: RemoveSecondFactorButtonProps) {
  const removing = useMutation({
    mutationFn: remove,
    onSuccess: () =>
      onDone(
        `The second factor of ${name} is removed. They are signed out. ${mailedWords("They are mailed.")}`,
      ),
  });
  const question = `Remove the second factor of ${name}? Do so only if you know that it is lost: the password alone lets in again. They are signed out everywhere. ${mailedWords("They are mailed.")}`;
  return (
    <Button
      small
      pending={removing.isPending}
      label={`Remove the second factor of ${name}`}
      onClick={() => {
        if (window.confirm(question)) removing.mutate();
      }}
    >
      Remove second factor
    </Button>
  );
}
