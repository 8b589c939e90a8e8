import { type ReactNode, useState, useSyncExternalStore } from "react";
import { Link, NavLink, useLocation } from "react-router";
import mark from "./favicon.svg";
import { PrintedOn } from "./PrintedOn.tsx";
import css from "./Shell.module.css";
import { Button } from "#kit/web/ui/Button.tsx";

interface ShellLink {
  to: string;
  label: string;
  /** Shown beside the label: how many items are waiting there. */
  detail?: ReactNode;
}

export interface LinkGroup {
  /** What its links have in common. */
  name?: string;
  links: readonly ShellLink[];
}

interface ShellProps {
  networkName: string;
  userName: string;
  groups: readonly LinkGroup[];
  /** Shown beside the account. */
  tools?: ReactNode;
  children: ReactNode;
}

/** The header, navigation and main area of every signed-in screen. */
export function Shell({ networkName, userName, groups, tools, children }: ShellProps) {
  const { key } = useLocation();
  const [openAt, setOpenAt] = useState<string | null>(null);
  const isOpen = openAt === key; // the menu of a narrow window; following a link closes it
  const isNarrow = useIsNarrow(groups.length > 1 ? "70rem" : "45rem");
  const links = groups.flatMap((group) => group.links);
  return (
    <>
      <SkipLink />
      <header className={css["top"]} data-narrow={isNarrow}>
        <div className={css["bar"]}>
          <Link to="/" className={css["network"]}>
            <img src={mark} alt="" />
            {networkName}
          </Link>
          <PrintedOn />
          <span className={css["menu"]}>
            <Button
              kind="quiet"
              pending={false}
              expanded={isOpen}
              onClick={() => setOpenAt(isOpen ? null : key)}
            >
              Menu
            </Button>
          </span>
          <nav
            className={css["links"]}
            aria-label="Main"
            data-open={isOpen}
            data-rows={groups.length > 1 ? 2 : 1}
          >
            {groups.map(({ name, links: ofGroup }) => (
              <div
                key={ofGroup[0]?.to}
                className={css["group"]}
                role={name ? "group" : undefined}
                aria-label={name}
              >
                {name && (
                  <span className={css["name"]} aria-hidden="true">
                    {name}
                  </span>
                )}
                {ofGroup.map(({ to, label, detail }) => (
                  <NavLink
                    key={to}
                    to={to}
                    end={links.some((other) => other.to.startsWith(`${to}/`))}
                  >
                    {label}
                    {detail && <span className={css["detail"]}>{detail}</span>}
                  </NavLink>
                ))}
              </div>
            ))}
            <div className={css["corner"]}>
              {tools}
              <NavLink to="/account">{userName}</NavLink>
            </div>
          </nav>
        </div>
      </header>
      <main id="main" tabIndex={-1} className={css["main"]}>
        {children}
      </main>
    </>
  );
}

/** Whether the links do not fit side by side, so that they are in a menu. */
function useIsNarrow(width: string): boolean {
  const media = window.matchMedia(`(max-width: ${width})`);
  return useSyncExternalStore(
    (onChange) => {
      media.addEventListener("change", onChange);
      return () => media.removeEventListener("change", onChange);
    },
    () => media.matches,
  );
}

/** The frame of sign-in screens, and of messages without a session. */
export function PlainShell({ children }: { children: ReactNode }) {
  return (
    <main id="main" className={`${css["main"]} ${css["plain"]}`}>
      <p className={css["product"]}>
        <img src={mark} alt="" width={32} height={32} />
        Referral Network
      </p>
      {children}
    </main>
  );
}

function SkipLink() {
  return (
    <a
      className={css["skip"]}
      href="#main"
      onClick={(event) => {
        event.preventDefault();
        document.getElementById("main")?.focus();
      }}
    >
      Skip to the content
    </a>
  );
}
