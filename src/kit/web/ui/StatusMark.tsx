import css from "./StatusMark.module.css";

/** `quiet` for what is over or needs no attention. */
export type Tone = "good" | "waiting" | "bad" | "quiet";

const marks: Record<Tone, string> = {
  good: "M2.5 8.5l3.5 3.5 7.5-8",
  waiting: "M8 4.5V8l2.5 1.5M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0",
  bad: "M4 4l8 8M12 4l-8 8",
  quiet: "M4 8h8",
};

/** A status as a word with its own mark, so that it does not depend on colour. */
export function StatusMark({ tone, children }: { tone: Tone; children: string }) {
  return (
    <span className={`${css["status"]} ${css[tone]}`}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={marks[tone]} />
      </svg>
      {children}
    </span>
  );
}
