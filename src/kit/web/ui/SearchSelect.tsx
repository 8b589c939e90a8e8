import createCache from "@emotion/cache";
import { CacheProvider } from "@emotion/react";
import { type RefObject, useLayoutEffect, useMemo, useRef, useState } from "react";
import Select, {
  components,
  type GroupBase,
  type InputActionMeta,
  type SelectComponentsConfig,
} from "react-select";
import { styleNonce } from "#kit/web/page-meta.tsx";
import { byNameRank } from "#kit/domain/name-rank.ts";
import { Field, type FieldProps } from "./Field.tsx";
import { type MenuPlacement, menuPlacement, onViewportChange } from "./viewport.tsx";
import css from "./SearchSelect.module.css";

export interface SearchOption {
  value: string;
  label: string;
}

interface SearchSelectProps extends FieldProps<string | null> {
  options: readonly SearchOption[];
  /** Replaces the widget's own "Select...". */
  placeholder?: string;
  /** Options are loading. */
  pending: boolean;
  /** If there are too many options to send: called when typing pauses, to fetch matches. */
  onSearch?: (text: string) => void;
  /** The chosen option, if the loaded options may lack it or name it differently; null shows nothing yet. */
  chosen?: SearchOption | null;
  /** Whether the choice can be cleared. */
  clearable?: boolean;
}

const pauseMs = 250;

/** Announced for the options left after typing, once loaded. Source: spec §8. */
const resultsWords = ({ count }: { count: number }) =>
  count === 0
    ? "No options"
    : `${count.toLocaleString("en-US")} ${count === 1 ? "result" : "results"} available`;

/** Without options the widget announces nothing to screen readers. An empty group looks the same and is announced. */
const noOptions = [{ options: [] }];

/** A list box may hold only options unless it is busy, so the message that there are none is a disabled option. */
const parts: SelectComponentsConfig<SearchOption, false, GroupBase<SearchOption>> = {
  NoOptionsMessage: (props) => (
    <components.NoOptionsMessage
      {...props}
      innerProps={{
        ...props.innerProps,
        role: "option",
        "aria-disabled": true,
        "aria-selected": false,
      }}
    />
  ),
  // The widget describes its field only by its own texts. Our hint and error come first.
  Input: (props) => (
    <components.Input
      {...props}
      aria-errormessage={undefined}
      aria-describedby={
        [props.selectProps["aria-errormessage"], props["aria-describedby"]]
          .filter(Boolean)
          .join(" ") || undefined
      }
    />
  ),
  MenuList: (props) => (
    <components.MenuList
      {...props}
      innerProps={{ ...props.innerProps, "aria-busy": props.selectProps.isLoading }}
    />
  ),
};

/** The maximum height of an open list, in pixels, and the extra height of its frame. */
const listHeight = 300;
const frameHeight = 6;

const cache = createCache({ key: "select", nonce: styleNonce() });

/** One of many options, found by typing. The widget's other texts are its own. Source: spec §8. */
export function SearchSelect(props: SearchSelectProps) {
  const { value, onChange, options, placeholder, pending, onSearch, chosen, clearable } = props;
  const [isTyping, setTyping] = useState(false);
  const [typed, setTyped] = useState("");
  const [isOpen, setOpen] = useState(false);
  const [frame, menu] = useMenuPlacement(isOpen);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // Drop the options of the previous text: Enter would choose among them.
  const isOutdated = onSearch !== undefined && (pending || isTyping);

  const isPending = pending || isTyping;
  const isFiltered = onSearch === undefined && typed !== "";
  // Copies, because the widget keeps the focused option when options change: Enter would still choose it.
  const matching = useMemo(
    () =>
      isFiltered
        ? byNameRank(options, ({ label }) => label, typed).map((option) => ({ ...option }))
        : options,
    [options, typed, isFiltered],
  );
  const listed = isOutdated ? [] : matching;

  const searchFor = (text: string) => {
    clearTimeout(timer.current);
    setTyping(true);
    timer.current = setTimeout(() => {
      setTyping(false);
      onSearch?.(text);
    }, pauseMs);
  };

  return (
    <Field {...props}>
      {(control) => (
        <CacheProvider value={cache}>
          <div
            ref={frame}
            role="presentation"
            // Not the widget's own handler, which does not choose if the form has prevented Enter's default.
            onKeyDown={(event) => {
              // Do not send the form, and do not leave the field with the previous choice.
              if (event.key === "Enter" && isOpen && listed.length === 0) event.preventDefault();
            }}
          >
            <Select<SearchOption>
              unstyled
              menuIsOpen={isOpen}
              onMenuOpen={() => setOpen(true)}
              onMenuClose={() => setOpen(false)}
              menuPlacement={menu.placement}
              maxMenuHeight={menu.maxHeight - frameHeight}
              inputId={control.id}
              name={control.name}
              aria-invalid={control["aria-invalid"]}
              aria-errormessage={control["aria-describedby"]} // for `Input` above
              options={listed.length === 0 && !isPending ? noOptions : listed}
              components={parts}
              screenReaderStatus={resultsWords}
              value={
                chosen === undefined
                  ? (options.find((option) => option.value === value) ?? null)
                  : chosen
              }
              onChange={(option) => onChange(option?.value ?? null)}
              placeholder={placeholder}
              isLoading={isPending}
              isClearable={clearable}
              filterOption={null} // filtered already, here or by the server
              onInputChange={(text: string, { action }: InputActionMeta) => {
                setTyped(text);
                if (onSearch && (action === "input-change" || text === "")) searchFor(text);
              }}
              menuPosition="fixed"
              classNames={{
                control: ({ isFocused }) => `${css["control"]} ${isFocused ? css["focused"] : ""}`,
                placeholder: () => css["placeholder"] ?? "",
                dropdownIndicator: () => css["indicator"] ?? "",
                clearIndicator: () => css["indicator"] ?? "",
                loadingIndicator: () => css["indicator"] ?? "",
                menuPortal: () => css["list"] ?? "",
                menu: () => css["menu"] ?? "",
                option: ({ isFocused, isSelected }) =>
                  `${css["option"]} ${isFocused ? css["active"] : ""} ${isSelected ? css["chosen"] : ""}`,
                noOptionsMessage: () => css["message"] ?? "",
                loadingMessage: () => css["message"] ?? "",
              }}
            />
          </div>
        </CacheProvider>
      )}
    </Field>
  );
}

/**
 * Where the list of the field in the returned frame opens. The widget measures the room only once, when it opens,
 * and a list that is still loading is small then.
 */
function useMenuPlacement(isOpen: boolean): [RefObject<HTMLDivElement | null>, MenuPlacement] {
  const frame = useRef<HTMLDivElement>(null);
  const [menu, setRoom] = useState<MenuPlacement>({ placement: "bottom", maxHeight: listHeight });

  // Only the browser knows the field's position in the window.
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    const measure = () => {
      if (frame.current) setRoom(menuPlacement(frame.current, listHeight));
    };
    measure();
    return onViewportChange(measure);
  }, [isOpen]);
  return [frame, menu];
}
