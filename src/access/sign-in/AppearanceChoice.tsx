import { useState } from "react";
import { chooseColorScheme, chosenColorScheme } from "#kit/web/color-scheme.tsx";
import { RadioField } from "#kit/web/ui/ChoiceField.tsx";

const schemes = [
  { value: "auto", label: "Same as this device" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
] as const;

/** Light or dark, saved in this browser. */
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
