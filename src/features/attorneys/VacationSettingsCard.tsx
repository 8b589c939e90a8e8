import { useMutation, useQuery } from "@tanstack/react-query";
import { call } from "#web/api.tsx";
import { endpointQuery, showSaved } from "#web/queries.tsx";
import { CheckboxField } from "#web/ui/ChoiceField.tsx";
import { ErrorState, Loading, Notice } from "#web/ui/states.tsx";
import { changeVacationSettings, showVacationSettings } from "./contract.ts";

/** Whether lawyers pause themselves, or only administrators do. */
export function VacationSettingsCard() {
  const settings = useQuery(endpointQuery(showVacationSettings));
  const saving = useMutation({
    mutationFn: (allowed: boolean) =>
      call(changeVacationSettings, { body: { lawyers_set_own_vacation: allowed } }),
    onSuccess: (saved) => showSaved(endpointQuery(showVacationSettings).queryKey, saved),
  });
  if (settings.data)
    return (
      <>
        <CheckboxField
          label="Lawyers may set their own vacation"
          hint="Their dashboard then shows the picker, and what they choose counts at once. You can always set it for them."
          error={undefined}
          value={saving.isPending ? saving.variables : settings.data.lawyersSetOwnVacation}
          onChange={(allowed) => {
            if (!saving.isPending) saving.mutate(allowed);
          }}
        />
        <Notice>
          {saving.isSuccess &&
            (saving.data.lawyersSetOwnVacation
              ? "Saved. Lawyers may set their own vacation."
              : "Saved. Only administrators set vacations.")}
        </Notice>
      </>
    );
  if (!settings.error) return <Loading />;
  return (
    <ErrorState
      title="The settings could not be loaded"
      error={settings.error}
      pending={settings.isFetching}
      onRetry={() => void settings.refetch()}
    />
  );
}
