import { type ReactNode, useEffect, useRef } from "react";
import { useLocation } from "react-router";
import { Muted } from "./layout.tsx";
import css from "./PageHeading.module.css";

interface PageHeadingProps {
  title: string;
  /** A line below the title: what the screen is about, or the record's key facts. */
  about?: ReactNode;
  /** Shown at the end of the line, such as the screen's one primary button. */
  actions?: ReactNode;
}

/**
 * A screen's only first-level heading. Sets the browser tab's title, and takes focus when the user comes from
 * another screen, so that screen readers and the Tab key start at the top.
 */
export function PageHeading({ title, about, actions }: PageHeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { key } = useLocation();
  const cameFromAnotherScreen = useRef(key !== "default");

  // The title and the focus are outside what React renders.
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
