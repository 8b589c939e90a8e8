import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { endpointQuery } from "#kit/web/queries.tsx";
import { CheckboxField } from "#kit/web/ui/ChoiceField.tsx";
import { Stack } from "#kit/web/ui/layout.tsx";
import { Notice, WhenLoaded } from "#kit/web/ui/states.tsx";
import { ConfirmRulesDialog } from "./ConfirmRulesDialog.tsx";
import { type Settings, showSettings } from "./contract.ts";
import { GracePeriodForm } from "./GracePeriodForm.tsx";
import type { SuspensionRules } from "./suspension-words.tsx";

/** When lawyers are suspended for reports that they owe. Source: spec §2, domain rules §6. */
export function SuspensionCard() {
  const settings = useQuery(endpointQuery(showSettings));
  return (
    <WhenLoaded query={settings} title="The settings could not be loaded">
      {(loaded) => <SuspensionRulesForm settings={loaded} />}
    </WhenLoaded>
  );
}

/** A change that is asked for, with the rules as they were then: somebody else may change them while it is looked at. */
interface Considered {
  current: SuspensionRules;
  wanted: SuspensionRules;
}

function SuspensionRulesForm({ settings }: { settings: Settings }) {
  const [considered, setConsidered] = useState<Considered | null>(null);
  const [done, setDone] = useState<string | null>(null);
  const current: SuspensionRules = {
    enabled: settings.suspendsOverdueAttorneys,
    threshold: settings.overduePeriodsSuspensionThreshold,
  };
  const consider = (wanted: SuspensionRules) => {
    setDone(null);
    setConsidered({ current, wanted });
  };
  return (
    <Stack gap={16}>
      <CheckboxField
        label="Enable overdue suspensions?"
        hint="Lawyers who owe overdue status reports receive no new referrals until they file them."
        error={undefined}
        value={current.enabled}
        onChange={(enabled) => consider({ ...current, enabled })}
      />
      {current.enabled && (
        <GracePeriodForm
          key={current.threshold}
          current={current.threshold}
          periodInDays={settings.overduePeriodInDays}
          onEntered={(threshold) => consider({ ...current, threshold })}
        />
      )}
      <Notice>{done}</Notice>
      {considered && (
        <ConfirmRulesDialog
          {...considered}
          periodInDays={settings.overduePeriodInDays}
          onClose={() => setConsidered(null)}
          onDone={(words) => {
            setConsidered(null);
            setDone(words);
          }}
        />
      )}
    </Stack>
  );
}
