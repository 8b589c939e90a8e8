import { useMutation, useQuery } from "@tanstack/react-query";
import type { ChosenAttorneys } from "#panel/shapes.ts";
import { EmailNotSetUp } from "#kit/web/mail-delivery.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { Dialog } from "#kit/web/ui/Dialog.tsx";
import { Row, Stack } from "#kit/web/ui/layout.tsx";
import { ActionPreview, WhenLoaded } from "#kit/web/ui/states.tsx";

/** The props of a dialog that acts on chosen attorneys. */
export interface ChosenDialogProps {
  whom: ChosenAttorneys;
  onClose: () => void;
  /** Called with a sentence about the result. */
  onDone: (words: string) => void;
}

interface AgreementDialogProps<Counts> {
  title: string;
  /** Counts what the action would do. */
  preview: { queryKey: readonly unknown[]; queryFn: () => Promise<Counts> };
  /** A sentence with these counts. */
  words: (counts: Counts) => string;
  /** What to know before agreeing. */
  about: (counts: Counts) => string;
  /** The chosen attorneys are emailed. */
  isMailed?: boolean;
  /** The button's label; null if there is nothing to do. */
  button: (counts: Counts) => string | null;
  act: () => Promise<Counts>;
  onDone: (made: Counts) => void;
  onClose: () => void;
}

/** Shows what a bulk action would do, in numbers, and does it once the administrator agrees. */
export function BulkActionDialog<Counts>(props: AgreementDialogProps<Counts>) {
  const { title, preview, words, about, isMailed, button, act, onDone, onClose } = props;
  // Never cached: the administrator agrees to these numbers.
  const counting = useQuery({ ...preview, gcTime: 0 });
  const acting = useMutation({ mutationFn: act, onSuccess: onDone });
  const label = counting.data && button(counting.data);
  return (
    <Dialog title={title} onClose={onClose}>
      <WhenLoaded query={counting} title="This could not be prepared">
        {(counts) => (
          <Stack>
            <ActionPreview>{words(counts)}</ActionPreview>
            <p>{about(counts)}</p>
            {isMailed && <EmailNotSetUp />}
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
