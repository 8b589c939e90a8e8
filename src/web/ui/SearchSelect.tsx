import createCache from "@emotion/cache";
import { CacheProvider } from "@emotion/react";
import Select from "react-select";
import { styleNonce } from "#web/page-meta.tsx";
import { Field, type FieldProps } from "./Field.tsx";
import css from "./SearchSelect.module.css";

export interface SearchOption {
  value: string;
  label: string;
}

interface SearchSelectProps extends FieldProps<string | null> {
  options: readonly SearchOption[];
  /** The widget's own "Select..." where the screen has no other. */
  placeholder?: string;
  /** Options are on their way. */
  pending: boolean;
}

const cache = createCache({ key: "select", nonce: styleNonce() });

/** One of many, found by typing. The widget's other texts are its own. Source: spec §8. */
export function SearchSelect(props: SearchSelectProps) {
  const { value, onChange, options, placeholder, pending } = props;
  return (
    <Field {...props}>
      {(control) => (
        <CacheProvider value={cache}>
          <Select<SearchOption>
            unstyled
            inputId={control.id}
            name={control.name}
            aria-invalid={control["aria-invalid"]}
            aria-errormessage={control["aria-describedby"]}
            options={options}
            value={options.find((option) => option.value === value) ?? null}
            onChange={(option) => onChange(option?.value ?? null)}
            placeholder={placeholder}
            isLoading={pending}
            menuPosition="fixed"
            classNames={{
              control: ({ isFocused }) => `${css["control"]} ${isFocused ? css["focused"] : ""}`,
              placeholder: () => css["placeholder"] ?? "",
              dropdownIndicator: () => css["indicator"] ?? "",
              menu: () => css["menu"] ?? "",
              option: ({ isFocused, isSelected }) =>
                `${css["option"]} ${isFocused ? css["active"] : ""} ${isSelected ? css["chosen"] : ""}`,
              noOptionsMessage: () => css["message"] ?? "",
              loadingMessage: () => css["message"] ?? "",
            }}
          />
        </CacheProvider>
      )}
    </Field>
  );
}
