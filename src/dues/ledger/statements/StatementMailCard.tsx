import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { formatDay } from "#kit/domain/day.ts";
import { call } from "#kit/web/api.tsx";
import { emailNotSetUpText, sendsMail } from "#kit/web/mail-delivery.tsx";
import { endpointQuery, showSaved } from "#kit/web/queries.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { SelectField } from "#kit/web/ui/ChoiceField.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { Notice, WhenLoaded } from "#kit/web/ui/states.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import {
  changeStatementSettings,
  showStatementSettings,
  type StatementSettings,
} from "./contract.ts";

/** Chooses the day of the month when statements are emailed. Source: domain rules §12. */
export function StatementMailCard() {
  const settings = useQuery(endpointQuery(showStatementSettings));
  return (
    <WhenLoaded query={settings} title="The settings could not be loaded">
      {(loaded) => <DayForm settings={loaded} />}
    </WhenLoaded>
  );
}

const days = [
  { value: "", label: "Do not email statements" },
  ...Array.from({ length: 31 }, (_, index) => ({
    value: String(index + 1),
    label: `Day ${index + 1}${index > 27 ? ", or the last of a shorter month" : ""}`,
  })),
];

function DayForm({ settings }: { settings: StatementSettings }) {
  const [done, setDone] = useState<string | null>(null);
  const form = useForm({
    start: dayOf(settings),
    // With no change, load the stored setting: others may have changed it.
    send: async ({ mailed_on_day: day }, saved) =>
      showSaved(
        endpointQuery(showStatementSettings).queryKey,
        day === saved.mailed_on_day
          ? await call(showStatementSettings)
          : await call(changeStatementSettings, {
              body: { mailed_on_day: day === "" ? null : Number(day) },
            }),
      ),
    valuesOf: dayOf,
    onDone: (saved) =>
      setDone(
        saved.nextOn ? `Saved. ${nextWords(saved.nextOn)}` : "Saved. Statements are not emailed.",
      ),
  });
  return (
    <Form form={form} label="Monthly statements">
      <p>
        {sendsMail()
          ? "An email goes to each attorney who owes something, has credit, or was charged or paid in the previous month."
          : "A message is saved for each attorney who owes something, has credit, or was charged or paid in the previous month."}{" "}
        It shows the balance before and after that month, with a link to the statement.
      </p>
      {!sendsMail() && <p>{emailNotSetUpText}</p>}
      <SelectField label="Email statements on" options={days} {...form.field("mailed_on_day")} />
      <div>
        <SubmitButton kind="secondary" pending={form.pending}>
          Save
        </SubmitButton>
      </div>
      <Notice>{done ?? (settings.nextOn && nextWords(settings.nextOn))}</Notice>
    </Form>
  );
}

const dayOf = ({ mailedOnDay }: StatementSettings) => ({
  mailed_on_day: String(mailedOnDay ?? ""),
});

const nextWords = (day: string) =>
  sendsMail()
    ? `The next statements will be emailed on ${formatDay(day)}.`
    : `The next statements will be saved here on ${formatDay(day)}.`;
