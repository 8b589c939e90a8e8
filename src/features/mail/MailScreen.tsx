import { useSearchParams } from "react-router";
import { isDay } from "#domain/day.ts";
import { SelectField } from "#web/ui/ChoiceField.tsx";
import { DayField } from "#web/ui/DayField.tsx";
import { Filters } from "#web/ui/layout.tsx";
import { PageHeading } from "#web/ui/PageHeading.tsx";
import { type Mail, mailStatuses } from "./contract.ts";
import { MailTable } from "./MailTable.tsx";

const labels: Record<Mail["status"], string> = {
  queued: "Waiting",
  sent: "Sent",
  gave_up: "Not delivered",
  withdrawn: "Withdrawn",
};

const options = [
  { value: "" as const, label: "All" },
  ...mailStatuses.map((value) => ({ value, label: labels[value] })),
];

/** The network's mail, with what became of each, filtered by that and by when it was written. */
export function MailScreen() {
  const [address, setAddress] = useSearchParams();
  const asked = address.get("status");
  const status = mailStatuses.find((one) => one === asked) ?? "";
  const from = address.get("from") ?? "";
  const choose = (name: "status" | "from", value: string) =>
    setAddress((before) => {
      const next = new URLSearchParams(before);
      next.delete("page");
      if (value === "") next.delete(name);
      else next.set(name, value);
      return next;
    });
  return (
    <>
      <PageHeading title="Mail" />
      <Filters>
        <SelectField
          label="Status"
          error={undefined}
          options={options}
          value={status}
          onChange={(value) => choose("status", value)}
        />
        <DayField
          label="Written from"
          error={undefined}
          value={isDay(from) ? from : null}
          onChange={() => undefined}
          onSettled={(day) => choose("from", day ?? "")}
        />
      </Filters>
      <MailTable status={status} from={isDay(from) ? from : undefined} />
    </>
  );
}
