import { useMutation, useQuery } from "@tanstack/react-query";
import type { z } from "zod";
import { call } from "#kit/web/api.tsx";
import { EmailNotSetUp, sendsMail } from "#kit/web/mail-delivery.tsx";
import { endpointQuery } from "#kit/web/queries.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { Dialog, DialogActions } from "#kit/web/ui/Dialog.tsx";
import { Stack } from "#kit/web/ui/layout.tsx";
import { ActionPreview, WhenLoaded } from "#kit/web/ui/states.tsx";
import { changeSettings, previewSuspensions } from "./contract.ts";
import css from "./suspension.module.css";
import { lateWords, lawyers, type SuspensionRules } from "./suspension-words.tsx";

type Preview = z.output<typeof previewSuspensions.object>;

interface ConfirmRulesProps {
  current: SuspensionRules;
  wanted: SuspensionRules;
  periodInDays: number;
  onClose: () => void;
  /** Called with a message that says what was done. */
  onDone: (words: string) => void;
}

/** Shows who would be suspended and whose suspension would end, then changes the rules. */
export function ConfirmRulesDialog(props: ConfirmRulesProps) {
  const { wanted, onClose } = props;
  // Counted each time: the administrator agrees to exactly these lawyers.
  const preview = useQuery({
    ...endpointQuery(previewSuspensions, {
      query: { enabled: wanted.enabled ? "true" : "false", threshold: wanted.threshold },
    }),
    gcTime: 0,
  });
  return (
    <Dialog title={titleOf(props)} onClose={onClose}>
      <WhenLoaded query={preview} title="The lawyers could not be counted">
        {(loaded) => <Confirmation {...props} preview={loaded} />}
      </WhenLoaded>
    </Dialog>
  );
}

function Confirmation(props: ConfirmRulesProps & { preview: Preview }) {
  const { current, wanted, periodInDays, preview, onDone } = props;
  const saving = useMutation({
    mutationFn: async () => {
      const body =
        wanted.enabled === current.enabled
          ? { overdue_periods_suspension_threshold: wanted.threshold }
          : { suspends_overdue_attorneys: wanted.enabled };
      await call(changeSettings, { body });
      return doneWords(current, wanted); // the reloaded settings make both equal
    },
    onSuccess: onDone,
  });
  return (
    <Stack gap={16}>
      {wanted.enabled && (
        <p>
          Lawyers will be suspended when {lateWords(wanted.threshold, periodInDays)}.
          {sendsMail() && " Each one is emailed."}
        </p>
      )}
      <ActionPreview>{consequence(preview)}</ActionPreview>
      {preview.attorneys.length > 0 && <Names of={preview} />}
      {wanted.enabled && <EmailNotSetUp />}
      <DialogActions>
        <Button kind="primary" pending={saving.isPending} onClick={() => saving.mutate()}>
          {actionOf(props)}
        </Button>
      </DialogActions>
    </Stack>
  );
}

function Names({ of: { attorneys, suspended } }: { of: Preview }) {
  const others = suspended - attorneys.length;
  return (
    <ul className={css["names"]}>
      {attorneys.map(({ id, name }) => (
        <li key={id}>{name}</li>
      ))}
      {others > 0 && <li>{`and ${others.toLocaleString("en-US")} more`}</li>}
    </ul>
  );
}

function titleOf({ current, wanted }: ConfirmRulesProps): string {
  if (wanted.enabled === current.enabled) return `Change the grace period to ${wanted.threshold}`;
  return wanted.enabled ? "Enable overdue suspensions" : "Switch overdue suspensions off";
}

function actionOf({ current, wanted }: ConfirmRulesProps): string {
  if (wanted.enabled === current.enabled) return "Change the grace period";
  return wanted.enabled ? "Enable suspensions" : "Switch suspensions off";
}

function consequence({ suspended, lifted }: Preview): string {
  const lifting = `the suspension of ${lawyers(lifted)} will be lifted`;
  if (suspended === 0 && lifted === 0) return "Nobody's suspension changes now.";
  if (suspended === 0) return `Now, ${lifting}.`;
  const suspending = `${lawyers(suspended)} will be suspended now`;
  return lifted === 0 ? `${suspending}.` : `${suspending}, and ${lifting}.`;
}

function doneWords(current: SuspensionRules, wanted: SuspensionRules): string {
  if (wanted.enabled === current.enabled) return `The grace period is now ${wanted.threshold}.`;
  return wanted.enabled ? "Overdue suspensions are on." : "Overdue suspensions are off.";
}
