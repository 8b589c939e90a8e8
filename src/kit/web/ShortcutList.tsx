import { useState } from "react";
import { commandKey, goKeys, switchSingleKeys, usesSingleKeys } from "./keyboard.tsx";
import css from "./ShortcutList.module.css";
import { CheckboxField } from "#kit/web/ui/ChoiceField.tsx";
import { Stack } from "#kit/web/ui/layout.tsx";

interface Shortcut {
  keys: readonly string[];
  does: string;
}

const always: Shortcut[] = [
  { keys: [commandKey, "K"], does: "Find anything" },
  { keys: [commandKey, "Enter"], does: "Record the check you are entering" },
  { keys: ["Esc"], does: "Close a dialog" },
];

const oneKey: Shortcut[] = [
  { keys: ["/"], does: "Search the list, or find anything if there is no list" },
  { keys: ["?"], does: "Show these shortcuts" },
  ...Object.entries(goKeys).map(([letter, { label }]) => ({ keys: ["g", letter], does: label })),
];

/** The keyboard shortcuts, and the choice to turn off one-key shortcuts. */
export function ShortcutList() {
  const [isOn, setOn] = useState(usesSingleKeys);
  return (
    <Stack gap={16}>
      <dl className={css["list"]}>
        {[...always, ...(isOn ? oneKey : [])].map(({ keys, does }) => (
          <div key={does}>
            <dt>
              {keys.map((name) => (
                <kbd key={name}>{name}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <CheckboxField
        label="Use one-key shortcuts on this device"
        error={undefined}
        value={isOn}
        onChange={(chosen) => {
          switchSingleKeys(chosen);
          setOn(chosen);
        }}
      />
    </Stack>
  );
}
