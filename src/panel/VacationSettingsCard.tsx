import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "#kit/web/api.tsx";
import { endpointQuery, showSaved } from "#kit/web/queries.tsx";
import { CheckboxField } from "#kit/web/ui/ChoiceField.tsx";
import { Notice, WhenLoaded } from "#kit/web/ui/states.tsx";
import { changeVacationSettings, showVacationSettings } from "./contract.ts";

/** Lets lawyers set their own vacation, or only administrators. */
export function VacationSettingsCard() {
  const settings = useQuery(endpointQuery(showVacationSettings));
  /** The new choice, shown while it is saved. */
  const [wanted, setWanted] = useState<boolean | null>(null);
  const saving = useMutation({
    mutationFn: async (allowed: boolean) =>
      showSaved(
        endpointQuery(showVacationSettings).queryKey,
        await call(changeVacationSettings, { body: { lawyers_set_own_vacation: allowed } }),
      ),
    onSettled: () => setWanted(null),
  });
  return (
    <WhenLoaded query={settings} title="The settings could not be loaded">
      {(loaded) => (
        <>
          <CheckboxField
            label="Lawyers may set their own vacation"
            hint="Lawyers choose a date on their dashboard, and it applies immediately. You can always set it for them."
            error={undefined}
            value={wanted ?? loaded.lawyersSetOwnVacation}
            onChange={(allowed) => {
              if (wanted !== null) return;
              setWanted(allowed);
              saving.mutate(allowed);
            }}
          />
          <Notice>
            {saving.isSuccess &&
              (saving.data.lawyersSetOwnVacation
                ? "Saved. Lawyers may set their own vacation."
                : "Saved. Only administrators set vacations.")}
          </Notice>
        </>
      )}
    </WhenLoaded>
  );
}
