import { Button } from "#kit/web/ui/Button.tsx";
import { Row } from "#kit/web/ui/layout.tsx";

/** Says of whom a list is that another screen has led to ("of Quinn Hale"), and shows everybody's again. */
export function OnlyOf({ words, onClear }: { words: string; onClear: () => void }) {
  return (
    <Row gap={12}>
      <span>
        Only <strong>{words}</strong>
      </span>
      <Button small kind="quiet" pending={false} onClick={onClear}>
        Of everybody
      </Button>
    </Row>
  );
}
