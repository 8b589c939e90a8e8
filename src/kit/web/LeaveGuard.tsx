import { type ReactNode, useEffect } from "react";
import { useLocation } from "react-router";
import { setCurrentScreen } from "./navigation-guard.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { Dialog } from "#kit/web/ui/Dialog.tsx";
import { Row, Stack } from "#kit/web/ui/layout.tsx";
import { UnsavedChangesProvider, useDiscardPrompt } from "./unsaved-changes.tsx";

/** Asks before unsaved input in its children is lost. */
export function LeaveGuard({ children }: { children: ReactNode }) {
  const location = useLocation();
  const prompt = useDiscardPrompt();

  // The back button is outside what React renders.
  useEffect(() => setCurrentScreen(location.pathname), [location]);

  return (
    <UnsavedChangesProvider>
      {children}
      {prompt && <DiscardDialog {...prompt} />}
    </UnsavedChangesProvider>
  );
}

function DiscardDialog({ agree, decline }: { agree: () => void; decline: () => void }) {
  return (
    <Dialog brief aboveVeil title="Discard what you entered?" onClose={decline}>
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
