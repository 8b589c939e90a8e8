import { type ReactNode, useEffect, useRef } from "react";
import { useLocation } from "react-router";
import { Muted } from "./layout.tsx";
import css from "./PageHeading.module.css";

interface PageHeadingProps {
  title: string;
  /** A line below the title: what this screen is about, or the record's few key facts. */
  about?: ReactNode;
  /** Stands at the end of the line; the screen's one primary button, for example. */
  actions?: ReactNode;
}

/**
 * The one first-level heading of a screen. Names the browser's tab, and takes focus when one came
 * here from another screen, so that a screen reader and the Tab key start at the top.
 */
export function PageHeading({ title, about, actions }: PageHeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { key } = useLocation();
  const cameFromAnotherScreen = useRef(key !== "default");

  // The title and the focus belong to the browser, outside of what React renders.
  useEffect(() => {
    document.title = `${title} · Referral Network`;
  }, [title]);
  useEffect(() => {
    if (cameFromAnotherScreen.current) heading.current?.focus();
  }, []);

  return (
    <div className={css["heading"]}>
      <div className={css["text"]}>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {about && <Muted>{about}</Muted>}
      </div>
      {actions && <div className="actions">{actions}</div>}
    </div>
  );
}
