import { useEffect, useRef, useState } from "react";
import { Field } from "./Field.tsx";
import css from "./SearchField.module.css";
import { isTyping, usesSingleKeys } from "#kit/web/keyboard.tsx";

const pauseMs = 250;

interface SearchFieldProps {
  label: string;
  /** The current search, from the address. */
  value: string;
  /** Called when typing pauses. */
  onSearch: (text: string) => void;
}

/** Searches while the user types. `/` focuses it from anywhere on the screen. */
export function SearchField({ label, value, onSearch }: SearchFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [typed, setTyped] = useState(value);
  const [searched, setAsked] = useState(value);
  const [seen, setSeen] = useState(value);

  // The address changed for another reason: filters were cleared, or the back button was used.
  if (value !== seen) {
    setSeen(value);
    if (value !== searched) {
      setTyped(value);
      setAsked(value);
    }
  }

  const searchFor = (text: string) => {
    clearTimeout(timer.current);
    setAsked(text);
    if (text !== value) onSearch(text);
  };

  useEffect(() => {
    const goToSearch = (event: KeyboardEvent) => {
      if (event.key !== "/" || event.metaKey || event.ctrlKey || event.altKey || isTyping()) return;
      if (!usesSingleKeys()) return;
      event.preventDefault();
      input.current?.focus();
    };
    document.addEventListener("keydown", goToSearch);
    return () => document.removeEventListener("keydown", goToSearch);
  }, []);

  return (
    <search className={css["search"]}>
      <Field label={label} error={undefined}>
        {(control) => (
          <input
            {...control}
            ref={input}
            type="search"
            value={typed}
            autoComplete="off"
            aria-keyshortcuts="/"
            onChange={({ target }) => {
              setTyped(target.value);
              clearTimeout(timer.current);
              timer.current = setTimeout(() => searchFor(target.value), pauseMs);
            }}
            onKeyDown={(event) => {
              if (event.key === "Enter") searchFor(event.currentTarget.value);
            }}
          />
        )}
      </Field>
      <kbd className={css["key"]} aria-hidden="true">
        /
      </kbd>
    </search>
  );
}
