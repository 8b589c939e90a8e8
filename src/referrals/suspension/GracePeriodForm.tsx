import { requestBody } from "#kit/web/api.tsx";
import { parseNumber } from "#kit/web/parse-number.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { Row } from "#kit/web/ui/layout.tsx";
import { TextField } from "#kit/web/ui/TextField.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { changeSettings, GracePeriod } from "./contract.ts";
import { lateWords } from "./suspension-words.tsx";

interface GracePeriodFormProps {
  /** In whole overdue periods. */
  current: number;
  periodInDays: number;
  /** Called with a new grace period; nothing is saved yet. */
  onEntered: (threshold: number) => void;
}

/** How many overdue periods are tolerated. Source: spec §2, §5. */
export function GracePeriodForm({ current, periodInDays, onEntered }: GracePeriodFormProps) {
  const form = useForm({
    start: { overdue_periods_suspension_threshold: String(current) },
    labels: { overdue_periods_suspension_threshold: "Grace period" },
    send: async ({ overdue_periods_suspension_threshold: typed }) => {
      const threshold = parseNumber(typed);
      requestBody(changeSettings, { overdue_periods_suspension_threshold: threshold });
      return threshold;
    },
    onDone: onEntered,
    savesNothing: true,
  });
  const entered = parseNumber(form.typed.overdue_periods_suspension_threshold);
  const isSame = entered === current;
  const explained = isSame || !GracePeriod.safeParse(entered).success ? current : entered;
  return (
    <Form form={form} label="How late reports may be">
      <Row gap={12} align="end">
        <TextField
          narrow
          inputMode="numeric"
          label="Grace period"
          hint="Whole periods, 0 to 120"
          {...form.field("overdue_periods_suspension_threshold")}
        />
        <SubmitButton pending={form.pending} disabled={isSame}>
          Save
        </SubmitButton>
      </Row>
      <p>
        {explained === current ? "Lawyers are suspended when " : "Lawyers would be suspended when "}
        {lateWords(explained, periodInDays)}.
      </p>
    </Form>
  );
}
