import { useMutation, useQuery } from "@tanstack/react-query";
import type { ChosenAttorneys } from "#panel/shapes.ts";
import { MailKept } from "#kit/web/mail-delivery.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { Dialog } from "#kit/web/ui/Dialog.tsx";
import { Row, Stack } from "#kit/web/ui/layout.tsx";
import { ActionPreview, WhenLoaded } from "#kit/web/ui/states.tsx";

/** What a dialog needs that does something for attorneys who were chosen. */
export interface ChosenDialogProps {
  whom: ChosenAttorneys;
  onClose: () => void;
  /** Called with a sentence that says what was done. */
  onDone: (words: string) => void;
}

interface AgreementDialogProps<Counts> {
  title: string;
  /** Counts what would be done. */
  preview: { queryKey: readonly unknown[]; queryFn: () => Promise<Counts> };
  /** What that is, in numbers. */
  words: (counts: Counts) => string;
  /** What everybody should know before. */
  about: (counts: Counts) => string;
  /** Mail goes to those who are chosen. */
  isMailed?: boolean;
  /** Of the button that does it; null where there is nothing to do. */
  button: (counts: Counts) => string | null;
  act: () => Promise<Counts>;
  onDone: (made: Counts) => void;
  onClose: () => void;
}

/** Says in numbers what would be done for many, and does it once that is agreed to. */
export function AgreementDialog<Counts>(props: AgreementDialogProps<Counts>) {
  const { title, preview, words, about, isMailed, button, act, onDone, onClose } = props;
  // Counted anew each time: the numbers are what the administrator agrees to.
  const counting = useQuery({ ...preview, gcTime: 0 });
  const acting = useMutation({ mutationFn: act, onSuccess: onDone });
  const label = counting.data && button(counting.data);
  return (
    <Dialog title={title} onClose={onClose}>
      <WhenLoaded query={counting} title="It cannot be done now">
        {(counts) => (
          <Stack>
            <ActionPreview>{words(counts)}</ActionPreview>
            <p>{about(counts)}</p>
            {isMailed && <MailKept />}
            <Row>
              {label && (
                <Button kind="primary" pending={acting.isPending} onClick={() => acting.mutate()}>
                  {label}
                </Button>
              )}
              <Button pending={false} onClick={onClose}>
                {label ? "Cancel" : "Close"}
              </Button>
            </Row>
          </Stack>
        )}
      </WhenLoaded>
    </Dialog>
  );
}
