import { useState } from "react";
import { usStates } from "#kit/domain/us-address.ts";
import { SelectField } from "./ChoiceField.tsx";
import type { FieldProps } from "./Field.tsx";

const states = [
  { value: "", label: "" },
  ...[...usStates].map(([code, name]) => ({ value: code, label: `${code}, ${name}` })),
];

/** Choose a state from the list. An existing value stays, even if it is not in the list. */
export function StateField(props: FieldProps<string>) {
  const [before] = useState(props.value);
  const isListed = before === "" || usStates.has(before);
  const options = isListed ? states : [...states, { value: before, label: before }];
  return <SelectField options={options} {...props} />;
}
