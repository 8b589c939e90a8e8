import { useState } from "react";
import { chooseColorScheme, chosenColorScheme } from "#kit/web/color-scheme.tsx";
import { RadioField } from "#kit/web/ui/ChoiceField.tsx";

const schemes = [
  { value: "auto", label: "As the system" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
] as const;

/** Light or dark, remembered by this browser. */
export function AppearanceChoice() {
  const [scheme, setScheme] = useState(chosenColorScheme);
  return (
    <RadioField
      inline
      label="Colors on this device"
      error={undefined}
      options={schemes}
      value={scheme}
      onChange={(chosen) => {
        chooseColorScheme(chosen);
        setScheme(chosen);
      }}
    />
  );
}
