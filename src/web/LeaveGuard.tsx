import { type ReactNode, useEffect } from "react";
import { useLocation } from "react-router";
import { noteShownScreen } from "./navigation-guard.tsx";
import { Button } from "./ui/Button.tsx";
import { Dialog } from "./ui/Dialog.tsx";
import { Row, Stack } from "./ui/layout.tsx";
import { KeepsUnsaved, useQuestion } from "./unsaved-changes.tsx";

/** Whatever is entered within and not saved is not lost without asking. */
export function LeaveGuard({ children }: { children: ReactNode }) {
  const location = useLocation();
  const question = useQuestion();

  // The back button is the browser's, outside of what React renders.
  useEffect(() => noteShownScreen(location.pathname), [location]);

  return (
    <KeepsUnsaved>
      {children}
      {question && <DiscardDialog {...question} />}
    </KeepsUnsaved>
  );
}

function DiscardDialog({ agree, decline }: { agree: () => void; decline: () => void }) {
  return (
    <Dialog brief title="Discard what you entered?" onClose={decline}>
      <Stack gap={16}>
        <p>It has not been saved.</p>
        <Row>
          <Button kind="primary" pending={false} onClick={decline}>
            Keep editing
          </Button>
          <Button kind="danger" pending={false} onClick={agree}>
            Discard
          </Button>
        </Row>
      </Stack>
    </Dialog>
  );
}
