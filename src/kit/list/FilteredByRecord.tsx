import { Button } from "#kit/web/ui/Button.tsx";
import { Row } from "#kit/web/ui/layout.tsx";

/** Says whose rows a list shows after a link from another screen ("of Quinn Hale"), with a button for all rows. */
export function FilteredByRecord({ words, onClear }: { words: string; onClear: () => void }) {
  return (
    <Row gap={12}>
      <span>
        Only <strong>{words}</strong>
      </span>
      <Button small kind="quiet" pending={false} onClick={onClear}>
        Show all
      </Button>
    </Row>
  );
}
