import {
  type KeyboardEvent,
  type ReactNode,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { Link, useSearchParams } from "react-router";
import css from "./Tabs.module.css";

export interface Tab {
  /** The tab's name in the address. */
  value: string;
  label: string;
  content: ReactNode;
  /** Once opened, its content stays mounted while other tabs are open, so that typed input is not lost. */
  staysMounted?: boolean;
}

interface TabsProps {
  /** What the tabs show, for screen readers. */
  label: string;
  /** The name in the address: `?view=payments`. */
  name: string;
  /** The tab for an address without the name. */
  start: string;
  tabs: readonly Tab[];
}

/** Views of one screen, with the open one in the address. Arrow keys, Home and End move between tabs. */
export function Tabs({ label, name, start, tabs }: TabsProps) {
  const [search] = useSearchParams();
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const requested = search.get(name) ?? start;
  const open =
    tabs.find((tab) => tab.value === requested) ?? tabs.find((tab) => tab.value === start);
  const [opened, setOpened] = useState<readonly Tab["value"][]>([]);
  if (open && !opened.includes(open.value)) setOpened([...opened, open.value]);
  const mounted = tabs.filter(
    (tab) => tab === open || (tab.staysMounted && opened.includes(tab.value)),
  );

  // A tab starts fresh: another list's page and filters mean nothing to it.
  const addressOf = (tab: Tab) => ({
    search: tab.value === start ? "" : new URLSearchParams({ [name]: tab.value }).toString(),
  });
  const handleKey = (event: KeyboardEvent<HTMLAnchorElement>) => {
    const links = [...(list.current?.querySelectorAll("a") ?? [])];
    const next = neighbour(event.key, links.indexOf(event.currentTarget), links.length);
    if (next === null) return;
    event.preventDefault();
    links[next]?.focus();
    links[next]?.click();
  };

  return (
    <div>
      <div ref={list} role="tablist" aria-label={label} className={css["list"]}>
        {tabs.map((tab) => (
          <Link
            key={tab.value}
            id={`${id}-${tab.value}`}
            to={addressOf(tab)}
            role="tab"
            aria-selected={tab === open}
            aria-controls={tab === open ? `${id}-${tab.value}-panel` : undefined}
            tabIndex={tab === open ? 0 : -1}
            onKeyDown={handleKey}
          >
            {tab.label}
          </Link>
        ))}
      </div>
      {mounted.map((tab) => (
        <Panel
          key={tab.value}
          id={`${id}-${tab.value}-panel`}
          labelledBy={`${id}-${tab.value}`}
          isHidden={tab !== open}
        >
          {tab.content}
        </Panel>
      ))}
    </div>
  );
}

interface PanelProps {
  id: string;
  /** The id of its tab. */
  labelledBy: string;
  isHidden: boolean;
  children: ReactNode;
}

function Panel({ id, labelledBy, isHidden, children }: PanelProps) {
  const panel = useRef<HTMLDivElement>(null);

  // An open dialog in a hidden tab would be invisible, and would block the page.
  useLayoutEffect(() => {
    if (!isHidden) return;
    const open = panel.current?.querySelectorAll<HTMLDialogElement>("dialog[open]");
    for (const dialog of open ?? []) dialog.close();
  }, [isHidden]);

  return (
    <div
      ref={panel}
      role="tabpanel"
      id={id}
      className={css["panel"]}
      aria-labelledby={labelledBy}
      hidden={isHidden}
    >
      {children}
    </div>
  );
}

/** The tab that a key moves to from `index`; null for other keys. */
function neighbour(key: string, index: number, count: number): number | null {
  if (key === "ArrowRight") return (index + 1) % count;
  if (key === "ArrowLeft") return (index + count - 1) % count;
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  return key === " " ? index : null;
}
