import { Button } from "#web/ui/Button.tsx";
import { Row } from "#web/ui/layout.tsx";

/** Says of whom a list is that another screen has led to, and shows everybody's again. */
export function OnlyOf({ name, onClear }: { name: string | undefined; onClear: () => void }) {
  if (name === undefined) return null;
  return (
    <Row gap={12}>
      <span>
        Only of <strong>{name}</strong>
      </span>
      <Button small kind="quiet" pending={false} onClick={onClear}>
        Of everybody
      </Button>
    </Row>
  );
}
