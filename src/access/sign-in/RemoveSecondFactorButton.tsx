import { useMutation } from "@tanstack/react-query";
import { emailedText } from "#kit/web/mail-delivery.tsx";
import { Button } from "#kit/web/ui/Button.tsx";

interface RemoveSecondFactorButtonProps {
  name: string;
  remove: () => Promise<unknown>;
  onDone: (said: string) => void;
}

/** For a person who has lost the phone and the recovery codes. */
export function RemoveSecondFactorButton({ name, remove, onDone }: RemoveSecondFactorButtonProps) {
  const removing = useMutation({
    mutationFn: remove,
    onSuccess: () =>
      onDone(
        `The second factor of ${name} was removed. They have been signed out. ${emailedText("They will get an email.")}`,
      ),
  });
  const question = `Remove the second factor of ${name}? Do this only if you are sure that it is lost. They can then sign in with only a password. They will be signed out everywhere. ${emailedText("They will get an email.")}`;
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
