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

/** When lawyers are suspended for overdue reports. Source: spec §2, domain rules §6. */
export function SuspensionCard() {
  const settings = useQuery(endpointQuery(showSettings));
  return (
    <WhenLoaded query={settings} title="The settings could not be loaded">
      {(loaded) => <SuspensionRulesForm settings={loaded} />}
    </WhenLoaded>
  );
}

/** A change to confirm, with the rules it started from: another administrator may change them before that. */
interface ProposedRules {
  current: SuspensionRules;
  wanted: SuspensionRules;
}

function SuspensionRulesForm({ settings }: { settings: Settings }) {
  const [proposed, setProposed] = useState<ProposedRules | null>(null);
  const [done, setDone] = useState<string | null>(null);
  const current: SuspensionRules = {
    enabled: settings.suspendsOverdueAttorneys,
    threshold: settings.overduePeriodsSuspensionThreshold,
  };
  const propose = (wanted: SuspensionRules) => {
    setDone(null);
    setProposed({ current, wanted });
  };
  return (
    <Stack gap={16}>
      <CheckboxField
        label="Enable overdue suspensions?"
        hint="Lawyers who owe overdue status reports receive no new referrals until they file them."
        error={undefined}
        value={current.enabled}
        onChange={(enabled) => propose({ ...current, enabled })}
      />
      {current.enabled && (
        <GracePeriodForm
          key={current.threshold}
          current={current.threshold}
          periodInDays={settings.overduePeriodInDays}
          onEntered={(threshold) => propose({ ...current, threshold })}
        />
      )}
      <Notice>{done}</Notice>
      {proposed && (
        <ConfirmRulesDialog
          {...proposed}
          periodInDays={settings.overduePeriodInDays}
          onClose={() => setProposed(null)}
          onDone={(words) => {
            setProposed(null);
            setDone(words);
          }}
        />
      )}
    </Stack>
  );
}
