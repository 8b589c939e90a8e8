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
  /** The widget's own "Select..." where the screen has no other. */
  placeholder?: string;
  /** Options are on their way. */
  pending: boolean;
  /** For more options than can be sent: called when typing pauses, to ask for those that match. */
  onSearch?: (text: string) => void;
  /** What is chosen, where the options at hand may not hold it, or name it otherwise; null shows nothing yet. */
  chosen?: SearchOption | null;
  /** A choice can be taken back. */
  clearable?: boolean;
}

const pauseMs = 250;

/** Said of what typing has left, where nothing is on its way. Source: spec §8. */
const resultsWords = ({ count }: { count: number }) =>
  count === 0
    ? "No options"
    : `${count.toLocaleString("en-US")} ${count === 1 ? "result" : "results"} available`;

/** The widget says nothing to screen readers while it has no options at all; a group without any shows the same. */
const noOptions = [{ options: [] }];

/** A list box holds options only, unless it is busy: the message that there are none is one that nobody can choose. */
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
  // The widget describes its field only by texts of its own: our hint and error come first.
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

/** As high as an open list gets where there is room, in pixels, and what its frame adds. */
const listHeight = 300;
const frameHeight = 6;

const cache = createCache({ key: "select", nonce: styleNonce() });

/** One of many, found by typing. The widget's other texts are its own. Source: spec §8. */
export function SearchSelect(props: SearchSelectProps) {
  const { value, onChange, options, placeholder, pending, onSearch, chosen, clearable } = props;
  const [isTyping, setTyping] = useState(false);
  const [typed, setTyped] = useState("");
  const [isOpen, setOpen] = useState(false);
  const [frame, menu] = useMenuPlacement(isOpen);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // Options of what was typed before are none: Enter would choose among them.
  const isOutdated = onSearch !== undefined && (pending || isTyping);

  const isPending = pending || isTyping;
  const isFiltered = onSearch === undefined && typed !== "";
  // Copies, for the widget keeps to the option that was the first of others: Enter would choose it still.
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
            // Not the widget's own: it would not choose where the form has prevented what Enter does by itself.
            onKeyDown={(event) => {
              // Neither sends the form nor leaves the field with what was chosen before.
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
              filterOption={null} // done already, here or by the server
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
 * Where the list of the field in the returned frame opens. The widget measures the room only once, when
 * it opens, and a list whose options are still loading is small then.
 */
function useMenuPlacement(isOpen: boolean): [RefObject<HTMLDivElement | null>, MenuPlacement] {
  const frame = useRef<HTMLDivElement>(null);
  const [menu, setRoom] = useState<MenuPlacement>({ placement: "bottom", maxHeight: listHeight });

  // The field's position in the window is known to the browser only.
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
